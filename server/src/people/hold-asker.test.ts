import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@florin/wire/role.ts'
import type { AccountId } from '../kernel/id.ts'
import { until } from '../kernel/until.ts'
import { lockOwners } from './member-list-store.ts'
import { openTestPeople } from './test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  there = await scene.start()
  // Stands still, so that what an instance remembers of somebody is never too old to be believed.
  scene.time.standsAt = Date.now()
})
afterAll(() => scene.close())

async function someone(accountId: AccountId, role: Role) {
  const memberId = await scene.aMember({}, [{ accountId, role }])
  const browser = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
  return { memberId, browser }
}

/** Two owners, a key and a viewer; the other instance knows the second owner. */
async function anAccount() {
  const accountId = await scene.anAccount()
  const owner = await someone(accountId, 'owner')
  const second = await someone(accountId, 'owner')
  const viewer = await someone(accountId, 'viewer')
  const order = { as: owner.browser, body: { name: 'till', scopes: ['admin'] } }
  const { body: key } = await here.ask('POST', '/keys', order)
  expect((await there.ask('GET', '/keys', { as: second.browser })).status).toBe(200)
  return { accountId, owner, second, viewer, key }
}
type Account = Awaited<ReturnType<typeof anAccount>>

/** Everything by which somebody would stay: an invitation, a key, another's key, a friend who becomes an owner, nobody else who is one. */
const stay = async ({ owner, viewer, key }: Account, as: TestBrowser) => {
  const friend = { email: 'friend@shop.example', role: 'owner' }
  const answers = [
    await there.ask('POST', '/members', { as, body: friend }),
    await there.ask('POST', '/keys', { as, body: { name: 'mine', scopes: ['admin'] } }),
    await there.ask('POST', `/keys/${String(key['keyId'])}/rotate`, { as, body: {} }),
    await there.ask('PATCH', `/members/${viewer.memberId}`, { as, body: { role: 'owner' } }),
    await there.ask('PATCH', `/members/${owner.memberId}`, { as, body: { role: 'viewer' } }),
  ]
  return answers.map(({ status }) => status)
}

const names = async ({ owner }: Account, list: 'keys' | 'members') => {
  const { body } = await here.ask('GET', `/${list}`, { as: owner.browser })
  return body[list]
}

describe('what an instance still remembers of', () => {
  test('an owner who was removed, or lowered, gives out nothing that would stay', async () => {
    for (const end of ['removed', 'lowered']) {
      const account = await anAccount()
      const { owner, second } = account
      const path = `/members/${second.memberId}`
      const ended =
        end === 'removed'
          ? await here.ask('DELETE', path, { as: owner.browser })
          : await here.ask('PATCH', path, { as: owner.browser, body: { role: 'developer' } })
      expect(ended.status).toBe(200)
      const before = [await names(account, 'keys'), await names(account, 'members')]
      // It still believes them where nothing stays.
      expect((await there.ask('GET', '/audit', { as: second.browser })).status).toBe(200)
      expect(await stay(account, second.browser)).toEqual([403, 403, 403, 403, 403])
      expect([await names(account, 'keys'), await names(account, 'members')]).toEqual(before)
    }
  })

  test('a session that was ended gives out nothing that would stay', async () => {
    const account = await anAccount()
    const { browser } = account.second
    const { body } = await here.ask('GET', '/session', { as: { ...browser } })
    const other = await here.signIn(
      await scene.aLink({ kind: 'operator', memberId: account.second.memberId }),
    )
    const path = `/sessions/${String(body['sessionId'])}`
    expect((await here.ask('DELETE', path, { as: other })).status).toBe(200)
    expect(await stay(account, browser)).toEqual([401, 401, 401, 401, 401])
  })

  test('a key that was deleted makes no other, and rotates none', async () => {
    const account = await anAccount()
    const headers = { authorization: `Bearer ${String(account.key['key'])}` }
    const spare = await there.ask('POST', '/keys', {
      headers,
      body: { name: 'spare', scopes: ['read'] },
    })
    expect(spare.status).toBe(200)
    const path = `/keys/${String(account.key['keyId'])}`
    expect((await here.ask('DELETE', path, { as: account.owner.browser })).status).toBe(200)
    const before = await names(account, 'keys')
    expect((await there.ask('GET', '/keys', { headers })).status).toBe(200)
    const order = { headers, body: { name: 'mine', scopes: ['admin'] } }
    expect((await there.ask('POST', '/keys', order)).status).toBe(401)
    const rotate = `/keys/${String(spare.body['keyId'])}/rotate`
    expect((await there.ask('POST', rotate, { headers, body: {} })).status).toBe(401)
    expect(await names(account, 'keys')).toEqual(before)
  })
})

test('a key that is made while its maker is being removed waits for that, and is not made', async () => {
  const account = await anAccount()
  const { accountId, second } = account
  const { asked } = await scene.database.store.inTransaction(accountId, async (tx) => {
    await lockOwners(tx, accountId)
    const order = { as: second.browser, body: { name: 'mine', scopes: ['admin'] } }
    const making = there.ask('POST', '/keys', order)
    await until(
      'the other waits for the member',
      async () => {
        const waiting = await tx.query(
          'test_waits',
          `select from ${WAITS_HERE} where locktype = 'transactionid'`,
        )
        return waiting.length > 0
      },
      { seconds: 60 },
    )
    await tx.query('test_remove', 'delete from memberships where member_id = $1', [second.memberId])
    return { asked: making }
  })
  expect((await asked).status).toBe(403)
})
