import { afterAll, beforeAll, expect, test } from 'vitest'
import { metricsRoute } from './metrics-route.ts'
import { openTestPeople } from './people/test-people.ts'
import type { TestPeople } from './people/test-people.ts'

let scene: TestPeople
beforeAll(async () => {
  scene = await openTestPeople()
})
afterAll(() => scene.close())

test.each([
  { isSandbox: true, status: 200 },
  { isSandbox: false, status: 403 },
])(
  'what is measured of every account is for operators, and for an admin key in a sandbox: $isSandbox',
  async ({ isSandbox, status }) => {
    const read = async () => ({ contentType: 'text/plain', text: '{"figures":1}' })
    const door = await scene.start([metricsRoute({ read, isSandbox })])
    const accountId = await scene.anAccount()
    const members = [{ accountId, role: 'owner' as const }]
    const link = async (isOperator: boolean) => {
      const memberId = await scene.aMember({ isOperator }, members)
      return scene.aLink({ kind: 'operator', memberId })
    }
    const owner = await door.signIn(await link(false))
    const operator = await door.signIn(await link(true))
    const body = { name: 'scraper', scopes: ['admin'] }
    const { key } = (await door.ask('POST', '/keys', { as: owner, body })).body

    const headers = { authorization: `Bearer ${String(key)}` }
    expect((await door.ask('GET', '/metrics', { headers })).status).toBe(status)
    expect((await door.ask('GET', '/metrics', { as: owner })).status).toBe(403)
    expect((await door.ask('GET', '/metrics', { as: operator })).status).toBe(200)
  },
)
