import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { makeWallet } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import * as links from './link-store.ts'
import { insertMember } from './member-store.ts'

const NOW = 1_790_000_000_000

let database: TestDatabase
let ada: MemberId
let bob: MemberId
let shop: AccountId
let kiosk: AccountId
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  ada = await member()
  bob = await member()
  shop = (await makeWallet(database.store)).accountId
  kiosk = (await makeWallet(database.store)).accountId
})
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

async function member(): Promise<MemberId> {
  const memberId = newId(systemRandom, 'mem')
  const made = { memberId, email: null, name: 'A', isOperator: false }
  await inService((tx) => insertMember(tx, made, NOW))
  return memberId
}

type Link = Parameters<typeof links.insertLink>[1]
async function link(of: Link, expiresAtMilliseconds: number | null = NOW + 10) {
  const digest = systemRandom.bytes(32)
  const times = { createdAtMilliseconds: NOW, expiresAtMilliseconds }
  await inService((tx) => links.insertLink(tx, of, { digest, ...times }))
  return digest
}
const invitation = (memberId: MemberId, accountId: AccountId) =>
  link({ kind: 'invitation', memberId, accountId })
const opens = async (digest: Uint8Array, at = NOW) =>
  (await inService((tx) => links.lockLink(tx, digest, at))) !== undefined
const which = async (...digests: readonly Uint8Array[]) => {
  const found: boolean[] = []
  for (const digest of digests) found.push(await opens(digest))
  return found
}
const use = (digest: Uint8Array) => inService((tx) => links.markLinkUsed(tx, digest, NOW))
const isKept = async (digest: Uint8Array) => {
  const rows = await database.store.query(
    'test_kept',
    'select from sign_in_links where digest = $1',
    [Buffer.from(digest)],
  )
  return rows.length === 1
}

test('a link opens until it was used or its time is over, and no other is used with it', async () => {
  const [one, two] = [await invitation(ada, shop), await invitation(ada, shop)]
  expect([await opens(one, NOW + 9), await opens(one, NOW + 10)]).toEqual([true, false])
  await use(one)
  expect(await which(one, two)).toEqual([false, true])
})

test('the invitations of a person into an account are dropped, and neither others nor what was used', async () => {
  const [own, elsewhere, another, used, signIn] = [
    await invitation(ada, shop),
    await invitation(ada, kiosk),
    await invitation(bob, shop),
    await invitation(ada, shop),
    await link({ kind: 'operator', memberId: ada }),
  ]
  await use(used)
  await inService((tx) => links.dropInvitations(tx, shop, ada))
  expect(await which(own, elsewhere, another, signIn)).toEqual([false, true, true, true])
  expect([await isKept(own), await isKept(used)]).toEqual([false, true])
})

test('all invitations into an account are dropped, and of no other one', async () => {
  const [first, second, elsewhere, used, signIn] = [
    await invitation(ada, shop),
    await invitation(bob, shop),
    await invitation(ada, kiosk),
    await invitation(ada, shop),
    await link({ kind: 'operator', memberId: ada }),
  ]
  await use(used)
  await inService((tx) => links.dropAllInvitations(tx, shop))
  expect(await which(first, second, elsewhere, signIn)).toEqual([false, false, true, true])
  expect(await isKept(used)).toBe(true)
})

test('of a sandbox that starts anew the sandbox’s own links are dropped alone', async () => {
  const [sandbox, other] = [
    await link({ kind: 'sandbox', memberId: ada }, null),
    await invitation(ada, shop),
  ]
  await inService((tx) => links.dropSandboxLinks(tx))
  expect(await which(sandbox, other)).toEqual([false, true])
})

test('links are forgotten once their time is long over, the oldest first and so many at once', async () => {
  const [last, first, good] = [
    await link({ kind: 'operator', memberId: ada }, NOW - 1),
    await link({ kind: 'operator', memberId: ada }, NOW - 2),
    await link({ kind: 'operator', memberId: ada }, NOW),
  ]
  const forget = (count: number) => inService((tx) => links.forgetLinks(tx, NOW, count))
  const kept = async () => [await isKept(first), await isKept(last), await isKept(good)]
  expect(await forget(1)).toBe(1)
  expect(await kept()).toEqual([false, true, true])
  expect(await forget(9)).toBe(1)
  expect(await kept()).toEqual([false, false, true])
})
