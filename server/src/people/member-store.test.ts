import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { makeWallet } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import * as members from './member-store.ts'

const NOW = 1_790_000_000_000
const INVITED = { name: 'A', email: 'a@shop.example' }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

async function member(): Promise<MemberId> {
  const memberId = newId(systemRandom, 'mem')
  const made = { memberId, email: null, name: 'A', isOperator: false }
  await inService((tx) => members.insertMember(tx, made, NOW))
  return memberId
}
const account = async () => (await makeWallet(database.store)).accountId
const put = (membership: Parameters<typeof members.putMembership>[1]) =>
  inService((tx) => members.putMembership(tx, membership, NOW))
const role = (accountId: AccountId, memberId: MemberId) =>
  inService((tx) => members.holdRole(tx, accountId, memberId))

test('a person has in an account the role of that one, once they have come, and nobody else’s', async () => {
  const [ada, bob] = [await member(), await member()]
  const [shop, kiosk, none] = [await account(), await account(), await account()]
  await put({ memberId: ada, accountId: shop, role: 'owner' })
  await put({ memberId: ada, accountId: kiosk, role: 'viewer' })
  await put({ memberId: bob, accountId: shop, role: 'owner', invitedAs: INVITED })
  expect([await role(shop, ada), await role(kiosk, ada)]).toEqual(['owner', 'viewer'])
  expect([await role(none, ada), await role(shop, bob)]).toEqual([undefined, undefined])
  expect(await inService((tx) => members.joinAccount(tx, none, bob, NOW))).toBe(false)
  expect(await inService((tx) => members.joinAccount(tx, shop, bob, NOW))).toBe(true)
  expect(await role(shop, bob)).toBe('owner')
})

test('who has come stays so whatever they are invited to later', async () => {
  const [memberId, accountId] = [await member(), await account()]
  await put({ memberId, accountId, role: 'owner' })
  await put({ memberId, accountId, role: 'viewer', invitedAs: INVITED })
  expect(await role(accountId, memberId)).toBe('viewer')
})
