import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { openTestPeople } from '../people/test-people.ts'
import type { TestPeople, TestPeopleInstance } from '../people/test-people.ts'
import { diagnose } from './run.ts'

let scene: TestPeople
let here: TestPeopleInstance
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
})
afterAll(() => scene.close())

test('keys and members that were made under an idempotency key break no invariant, also when they are gone', async () => {
  const accountId = await scene.anAccount('Shop', 'premium')
  const memberId = await scene.aMember({}, [{ accountId, role: 'owner' }])
  const as = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
  let asked = 0
  const post = async (path: string, body: object) => {
    asked += 1
    const headers = { 'idempotency-key': `once-${asked}` }
    const answer = await here.ask('POST', path, { as, body, headers })
    expect(answer.status).toBe(200)
    return answer.body
  }
  const made = await post('/keys', { name: 'till', scopes: ['read'] })
  await post(`/keys/${String(made['keyId'])}/rotate`, {})
  await post('/members', { email: 'somebody@shop.example', role: 'viewer' })
  const { store } = scene.database
  const keys = 'select operation from idempotency_keys order by operation'
  expect(await store.query('test_keys', keys)).toEqual(
    ['createKey', 'inviteMember', 'rotateKey'].map((operation) => ({ operation })),
  )
  expect((await diagnose({ store, chains: [], clock: systemClock })).findings).toEqual([])

  const { body } = await here.ask('GET', '/members', { as })
  const members: readonly unknown[] = Array.isArray(body['members']) ? body['members'] : []
  const invited = members.map((each) => String(Reflect.get(Object(each), 'memberId')))
  const other = invited.find((id) => id !== memberId)
  for (const path of [`/keys/${String(made['keyId'])}`, `/members/${other}`]) {
    expect((await here.ask('DELETE', path, { as })).status).toBe(200)
  }
  expect((await diagnose({ store, chains: [], clock: systemClock })).findings).toEqual([])
})
