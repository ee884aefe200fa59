import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId, SessionId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { insertMember } from './member-store.ts'
import * as ends from './session-ends-store.ts'
import * as sessions from './session-store.ts'

const NOW = 1_790_000_000_000

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

let ada: MemberId
let bob: MemberId
beforeEach(async () => {
  ada = await member()
  bob = await member()
})

async function member(): Promise<MemberId> {
  const memberId = newId(systemRandom, 'mem')
  const made = { memberId, email: null, name: 'A', isOperator: false }
  await inService((tx) => insertMember(tx, made, NOW))
  return memberId
}

const digestOf = (sessionId: SessionId) => Buffer.from(sessionId.padEnd(32).slice(-32))

async function session(
  memberId = ada,
  {
    at = NOW,
    expiresAt = NOW + 1_000,
    about,
  }: { at?: number; expiresAt?: number; about?: AccountId } = {},
): Promise<SessionId> {
  const sessionId = newId(systemRandom, 'ses')
  const begun: sessions.NewSession = {
    ...{ sessionId, memberId, isOperator: false, method: 'link', address: '::1', userAgent: 'a' },
    account: about === undefined ? null : { accountId: about, role: 'viewer' },
    ...{ createdAtMilliseconds: at, seenAtMilliseconds: at, expiresAtMilliseconds: expiresAt },
  }
  await inService((tx) => sessions.insertSession(tx, begun, digestOf(sessionId)))
  return sessionId
}

/** When each was ended; null while it was not. */
async function ended(...sessionIds: readonly SessionId[]) {
  const rows = await database.store.query<{ id: SessionId; ended_at: Date | null }>(
    'test_ended',
    'select id, ended_at from sessions where id = any($1)',
    [sessionIds],
  )
  const known = new Map(rows.map((row) => [row.id, row.ended_at?.getTime() ?? null]))
  return sessionIds.map((sessionId) => known.get(sessionId))
}
const end = (sessionId: SessionId, by = ada, at = NOW) =>
  inService((tx) => ends.endSession(tx, by, sessionId, at))

test('a session is ended by its own person, once and in its time, and no other is with it', async () => {
  const [own, beside, theirs, past] = [
    await session(),
    await session(),
    await session(bob),
    await session(ada, { expiresAt: NOW }),
  ]
  expect([await end(own), await end(own, ada, NOW + 1)]).toEqual([true, false])
  expect([await end(theirs), await end(past)]).toEqual([false, false])
  expect(await ended(own, beside, theirs, past)).toEqual([NOW, null, null, null])
  expect(await sessions.findSessionByDigest(database.store, digestOf(own))).toBeUndefined()
  const found = await sessions.findSessions(database.store, [own, theirs])
  expect(found.map(({ sessionId }) => sessionId)).toEqual([theirs])
  const hold = (sessionId: SessionId) => inService((tx) => ends.holdSession(tx, sessionId))
  expect([await hold(own), await hold(beside)]).toEqual([false, true])
})

test('all other sessions of a person are ended, and nobody else’s', async () => {
  const [kept, other, before, theirs] = [
    await session(),
    await session(),
    await session(),
    await session(bob),
  ]
  await end(before)
  await inService((tx) => ends.endOtherSessions(tx, ada, kept, NOW + 1))
  expect(await ended(kept, other, before, theirs)).toEqual([null, NOW + 1, NOW, null])
  await inService((tx) => ends.endOtherSessions(tx, ada, null, NOW + 2))
  expect(await ended(kept, theirs)).toEqual([NOW + 2, null])
})

test('of the live sessions of a person the newest stay', async () => {
  const [oldest, newest, between, gone, past, theirs] = [
    await session(ada, { at: NOW - 3 }),
    await session(ada, { at: NOW - 1 }),
    await session(ada, { at: NOW - 2 }),
    await session(ada, { at: NOW }),
    await session(ada, { at: NOW, expiresAt: NOW }),
    await session(bob, { at: NOW - 9 }),
  ]
  await end(gone)
  await inService((tx) => ends.endOldestSessions(tx, ada, 2, NOW + 1))
  expect(await ended(oldest, newest, between, gone, past, theirs)).toEqual([
    ...[NOW + 1, null, null, NOW, null, null],
  ])
})

test('a session is renewed once, by its own person and in its time', async () => {
  const [own, beside, theirs, past] = [
    await session(),
    await session(),
    await session(bob),
    await session(ada, { expiresAt: NOW }),
  ]
  const renew = (sessionId: SessionId, by = ada) =>
    inService((tx) => ends.endSessionForRenewal(tx, by, sessionId, NOW))
  expect(await renew(own)).toMatchObject({ expiresAtMilliseconds: NOW + 1_000 })
  for (const sessionId of [own, theirs, past]) expect(await renew(sessionId)).toBeUndefined()
  expect(await ended(own, beside, theirs, past)).toEqual([NOW, null, null, null])
})

test('the session of a token is ended when it was first, and no other', async () => {
  const [own, beside] = [await session(), await session()]
  for (const at of [NOW, NOW + 1]) {
    await inService((tx) => ends.endSessionByDigest(tx, digestOf(own), at))
  }
  expect(await ended(own, beside)).toEqual([NOW, null])
})

test('a person is shown the own live sessions that were used since, newest first, and the account of the last', async () => {
  const [shop, kiosk] = [newId(systemRandom, 'acct'), newId(systemRandom, 'acct')]
  for (const id of [shop, kiosk]) {
    await write(
      database.store,
      'test_account',
      `insert into accounts (id, name) values ($1, 'a')`,
      [id],
    )
  }
  const [first, last, gone] = [
    await session(ada, { at: NOW - 5, about: kiosk }),
    await session(ada, { at: NOW - 4, about: shop }),
    await session(ada, { at: NOW - 3 }),
  ]
  await session(ada, { at: NOW - 2, expiresAt: NOW })
  await session(ada, { at: NOW - 9 })
  await session(bob, { at: NOW - 1, about: kiosk })
  await end(gone)
  const list = async (count: number) => {
    const since = { nowMilliseconds: NOW, seenSinceMilliseconds: NOW - 9, count }
    const found = await inService((tx) => sessions.listLiveSessions(tx, ada, since))
    return found.map(({ sessionId }) => sessionId)
  }
  expect([await list(9), await list(1)]).toEqual([[last, first], [last]])
  expect(await inService((tx) => sessions.lastSelectedAccount(tx, ada))).toBe(shop)
  // What is noted late takes nothing back, and says nothing of another session.
  for (const at of [NOW + 5, NOW + 3]) await sessions.markSessionSeen(database.store, first, at)
  const seen = await sessions.findSessions(database.store, [first, last])
  expect(new Map(seen.map((each) => [each.sessionId, each.seenAtMilliseconds]))).toEqual(
    new Map([
      [first, NOW + 5],
      [last, NOW - 4],
    ]),
  )
})
