import type { NetworkId } from '@florin/wire/network.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../access/create-account.ts'
import type { ProofKey } from '../chains/exact.ts'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { forgetIdentifiers, releaseIdentifier, reserveIdentifier } from './identifier-store.ts'
import type { NamedPayment } from './identifier-store.ts'

const NOW = 1_790_000_000_000

let database: TestDatabase
let accountId: AccountId
beforeAll(async () => {
  database = await openTestDatabase()
  const deps = { store: database.store, clock: systemClock, random: systemRandom }
  accountId = (await createAccount(deps, 'seller')).accountId
})
afterAll(() => database.close())

const payment = (identifier: string, proof: string): NamedPayment => ({
  ...{ accountId, payer: '0xpayer', identifier: `${identifier}-0123456789` },
  network: 'eip155:84532' as NetworkId,
  proofKey: proof as ProofKey,
})
const reserve = (named: NamedPayment, now: number) =>
  database.store.inTransaction(accountId, (tx) => reserveIdentifier(tx, named, now))

test('a name whose payment was never claimed is free again after its time, and not before', async () => {
  const [first, second] = [payment('crashed', 'one'), payment('crashed', 'two')]
  const held = limits.paymentIdentifierHeldSeconds * 1000
  expect(await reserve(first, NOW)).toBe(true)
  expect(await reserve(second, NOW + held)).toBe(false)
  // The same payment may ask again, and then has its time anew.
  expect(await reserve(first, NOW + 10)).toBe(true)
  expect(await reserve(second, NOW + held + 10)).toBe(false)
  expect(await reserve(second, NOW + held + 11)).toBe(true)
  expect(await reserve(first, NOW + held + 12)).toBe(false)
})

test('only the payment that has a name gives it back', async () => {
  const [first, second] = [payment('refused', 'three'), payment('refused', 'four')]
  await reserve(first, NOW)
  await database.store.inTransaction(accountId, (tx) => releaseIdentifier(tx, second))
  expect(await reserve(second, NOW)).toBe(false)
  await database.store.inTransaction(accountId, (tx) => releaseIdentifier(tx, first))
  expect(await reserve(second, NOW)).toBe(true)
})

test('names are forgotten after their days', async () => {
  const [first, second] = [payment('forgotten', 'five'), payment('forgotten', 'six')]
  const days = limits.paymentIdentifierKeptDays * 24 * 3_600_000
  await reserve(first, NOW + days)
  const forget = (now: number) =>
    database.store.inTransaction('service', (tx) => forgetIdentifiers(tx, now))
  await forget(NOW + 2 * days)
  expect(await reserve(second, NOW + days)).toBe(false)
  await forget(NOW + 2 * days + 1)
  expect(await reserve(second, NOW + days)).toBe(true)
})
