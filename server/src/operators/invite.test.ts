import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAudit } from '../audit/audit.ts'
import { openDirectory } from '../chains/directory.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { openTestPeople } from '../people/test-people.ts'
import type { TestPeople } from '../people/test-people.ts'
import { operatorAccountRoutes } from './account-routes.ts'

let scene: TestPeople
beforeAll(async () => {
  scene = await openTestPeople()
})
afterAll(() => scene.close())

test('an account that an operator made gets its first owner by a link', async () => {
  const door = await scene.start(
    operatorAccountRoutes({
      ...{ store: scene.database.store, clock, random, audit: openAudit({ clock, random }) },
      killPoint: () => undefined,
      ...{ networks: [], settings: [], directory: openDirectory([]), settlers: { of: () => [] } },
      broadcaster: { broadcast: async () => [] },
      signerFor: () => Promise.reject(new Error('nothing is signed here')),
      driverState: () => undefined,
      baseUrl: () => 'http://pay.example',
      diagnose: async () => ({ findings: [], unasked: [], notTaken: [], clocks: [], lookAt: [] }),
    }),
  )
  const memberId = await scene.aMember({ isOperator: true })
  const operator = await door.signIn(await scene.aLink({ kind: 'operator', memberId }))
  const post = (path: string, body: object) => door.ask('POST', path, { as: operator, body })
  const made = (await post('/operator/accounts', { name: 'Bakery' })).body
  const accountId = String(made['accountId'])
  const invite = { email: 'Ada@bakery.example', role: 'owner' }

  const tokenIn = ({ link }: Record<string, unknown>) => String(link).split('#link=')[1] ?? ''

  const worthless = (await post(`/operator/accounts/${accountId}/members`, invite)).body
  const invited = (await post(`/operator/accounts/${accountId}/members`, invite)).body
  expect(invited).toMatchObject({ email: 'ada@bakery.example', role: 'owner', joinedAt: null })
  await expect(door.signIn(tokenIn(worthless))).rejects.toThrow()
  const browser = await door.signIn(tokenIn(invited))
  const { body } = await door.ask('GET', '/session', { as: browser })
  expect(body).toMatchObject({ operator: false, selected: { accountId, role: 'owner' } })
  const nowhere = await post('/operator/accounts/acct_1111111111111111111111/members', invite)
  expect(nowhere.status).toBe(404)
})
