import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@florin/wire/role.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { lockOwners } from './member-list-store.ts'
import { openTestPeople } from './test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'

let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  there = await scene.start()
})
afterAll(() => scene.close())

interface Someone {
  readonly memberId: MemberId
  readonly browser: TestBrowser
}
async function someone(accountId: AccountId, role: Role): Promise<Someone> {
  const memberId = await scene.aMember({}, [{ accountId, role }])
  const browser = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
  return { memberId, browser }
}
const change = ({ browser }: Someone, memberId: string, role: Role, at = here) =>
  at.ask('PATCH', `/members/${memberId}`, { as: browser, body: { role } })
const remove = ({ browser }: Someone, memberId: string, at = here) =>
  at.ask('DELETE', `/members/${memberId}`, { as: browser })
const keysOf = ({ browser }: Someone, at = here) => at.ask('GET', '/keys', { as: { ...browser } })

describe('members', () => {
  test('are seen by every member, and changed by owners alone', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const developer = await someone(accountId, 'developer')
    const viewer = await someone(accountId, 'viewer')
    for (const who of [owner, developer, viewer]) {
      const { body } = await here.ask('GET', '/members', { as: who.browser })
      expect(body['members']).toHaveLength(3)
    }
    for (const who of [developer, viewer]) {
      const invite = { as: who.browser, body: { email: 'new@shop.example', role: 'owner' } }
      expect((await here.ask('POST', '/members', invite)).status).toBe(403)
      expect((await change(who, who.memberId, 'owner')).status).toBe(403)
      expect((await remove(who, viewer.memberId)).status).toBe(403)
    }
    expect((await change(owner, viewer.memberId, 'developer')).body).toMatchObject({
      memberId: viewer.memberId,
      role: 'developer',
      lastSeenAt: expect.any(Number),
    })
  })

  test('of another account cannot be seen, changed or removed', async () => {
    const [mine, theirs] = [await scene.anAccount('Mine'), await scene.anAccount('Theirs')]
    const me = await someone(mine, 'owner')
    const other = await someone(theirs, 'viewer')
    for (const id of [other.memberId, newId(systemRandom, 'mem'), 'x']) {
      expect((await change(me, id, 'viewer')).status).toBe(404)
      expect((await remove(me, id)).status).toBe(404)
    }
    const { text } = await here.ask('GET', '/members', { as: me.browser })
    expect(text).not.toContain(other.memberId)
    expect((await here.ask('GET', '/session', { as: other.browser })).status).toBe(200)
  })

  test('always have an owner among them, even when two owners go at the same moment', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    expect((await change(owner, owner.memberId, 'viewer')).status).toBe(400)
    expect((await remove(owner, owner.memberId)).status).toBe(400)

    const invited = { email: 'pending@shop.example', role: 'owner' }
    await here.ask('POST', '/members', { as: owner.browser, body: invited })
    // Who has not come does not count as an owner.
    expect((await remove(owner, owner.memberId)).status).toBe(400)

    const second = await someone(accountId, 'owner')
    const answers = await Promise.all([
      change(owner, owner.memberId, 'viewer'),
      remove(second, second.memberId, there),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('are changed by one at a time in an account', async () => {
    const accountId = await scene.anAccount()
    await someone(accountId, 'owner')
    const { store } = scene.database
    await store.inTransaction(accountId, async (tx) => {
      await lockOwners(tx, accountId)
      const other = store.inTransaction(accountId, (second) =>
        second.query(
          'test_lock',
          'select from memberships where account_id = $1 for update nowait',
          [accountId],
        ),
      )
      await expect(other).rejects.toThrow('gave up')
    })
  })

  test('that are lowered or removed can do no more on another instance within a second', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const lowered = await someone(accountId, 'developer')
    const removed = await someone(accountId, 'developer')
    for (const who of [lowered, removed]) expect((await keysOf(who, there)).status).toBe(200)
    expect((await change(owner, lowered.memberId, 'viewer')).status).toBe(200)
    expect((await remove(owner, removed.memberId)).status).toBe(200)
    scene.time.ahead += limits.keyCacheMilliseconds
    for (const who of [lowered, removed]) {
      for (const at of [here, there]) expect((await keysOf(who, at)).status).toBe(403)
    }
    const { body } = await here.ask('GET', '/session', { as: removed.browser })
    expect(body).toMatchObject({ accounts: [], selected: null })
  })

  test('that are raised get their rights with a new token, not before', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const viewer = await someone(accountId, 'viewer')
    expect((await change(owner, viewer.memberId, 'developer')).status).toBe(200)
    scene.time.ahead += limits.keyCacheMilliseconds
    expect((await keysOf(viewer)).status).toBe(403)
    const { body } = await here.ask('GET', '/session', { as: viewer.browser })
    expect(body).toMatchObject({ accounts: [{ role: 'developer' }], selected: { role: 'viewer' } })
    const before = viewer.browser.cookie
    await here.ask('PUT', '/session/account', { as: viewer.browser, body: { accountId } })
    expect(viewer.browser.cookie).not.toBe(before)
    expect((await keysOf(viewer)).status).toBe(200)
  })

  test('are invited once by one request, and a repeat is not told the link', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const headers = { 'idempotency-key': 'invite-1' }
    const body = { email: 'Once@shop.example', name: 'Once', role: 'viewer' }
    const order = { as: owner.browser, body, headers }
    const first = await here.ask('POST', '/members', order)
    expect(first.body).toMatchObject({ email: 'once@shop.example', name: 'Once', joinedAt: null })
    expect(first.body['link']).toContain('/signin#link=')
    const second = await there.ask('POST', '/members', order)
    expect(second.body).toMatchObject({ memberId: first.body['memberId'], link: null })
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    const other = { ...order, body: { ...body, role: 'owner' } }
    expect((await here.ask('POST', '/members', other)).status).toBe(422)
    const { body: list } = await here.ask('GET', '/members', { as: owner.browser })
    expect(list['members']).toHaveLength(2)
  })

  test('are invited by their address once, however many do it at once', async () => {
    const accounts = await Promise.all([1, 2, 3, 4].map(() => scene.anAccount()))
    const owners = await Promise.all(accounts.map((accountId) => someone(accountId, 'owner')))
    const body = { email: 'popular@shop.example', role: 'viewer' }
    const answers = await Promise.all(
      owners.map(({ browser }, index) =>
        (index % 2 === 0 ? here : there).ask('POST', '/members', { as: browser, body }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(({ body: { memberId } }) => memberId)).size).toBe(1)
    const member = {
      as: owners[0]?.browser,
      body: { email: 'POPULAR@shop.example', role: 'owner' },
    }
    expect((await here.ask('POST', '/members', member)).status).toBe(200)
  })
})
