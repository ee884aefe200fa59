import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { proofKey } from '../chains/exact.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { write } from '../store/test-write.ts'
import * as claims from './claim-store.ts'
import { endBuilt, letGo } from './soft-claim-store.ts'

const NETWORK = testNetwork(84_532).network
const NOW = 1_790_000_000_000
/** Of every claim here: only its payment tells one from another. */
const DIGEST = new Uint8Array(32).fill(7)
const TAKING = { facilitator: 'https://one.example/', handed: null }

let database: TestDatabase
let accountId: AccountId
beforeAll(async () => {
  database = await openTestDatabase()
  ;({ accountId } = await storeTestWallet(database.store))
})
afterAll(() => database.close())

let mine: PaymentId
let others: readonly PaymentId[]
beforeEach(async () => {
  const stranger = await storeTestWallet(database.store)
  mine = await aClaim(accountId)
  others = [await aClaim(accountId), await aClaim(stranger.accountId)]
})

const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

async function aClaim(owner: AccountId): Promise<PaymentId> {
  const paymentId = newId(systemRandom, 'pay')
  await write(
    database.store,
    'test_payment',
    `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, sandbox, created_at)
     values ($1, $2, 'received', $3, 'native', 1, 18, 'a', 'b', true, now())`,
    [paymentId, owner, NETWORK],
  )
  const claim = {
    ...{ paymentId, accountId: owner, network: NETWORK, proofKey: proofKey(paymentId) },
    ...{ termsDigest: DIGEST, x402Version: 2 as const, stored: {}, validBeforeSeconds: 9n },
    ...{ sinceHeight: 0n, softUntilMilliseconds: NOW },
  }
  await inService((tx) => claims.insertClaim(tx, claim, NOW))
  return paymentId
}

const rowsOf = (ids: readonly PaymentId[]) =>
  database.store.query(
    'test_claims',
    'select * from settlement_claims where payment_id = any($1) order by payment_id',
    [ids],
  )

/** What is done to a claim, and what has been done to all of them before. */
const DEEDS: Readonly<
  Record<string, (tx: Tx, claim: PaymentId, account: AccountId) => Promise<unknown>>
> = {
  'is tried again': (tx, paymentId) => claims.lockClaim(tx, { paymentId, digest: DIGEST }),
  'is handed to another facilitator': (tx, paymentId) =>
    claims.takeTurn(tx, { paymentId, ...TAKING }, NOW),
  'comes back from it': (tx, paymentId) => claims.giveTurnBack(tx, paymentId, NOW),
  'gives its success': (tx, paymentId) => claims.takeAnswer(tx, paymentId, NOW),
  'gives its success beside others': (_, paymentId) =>
    claims.takeAnswers(database.store, [paymentId], NOW),
  'gives its success again': (tx, paymentId) => claims.keepAnswer(tx, paymentId),
  'gets its success back': (tx, paymentId) => claims.returnAnswer(tx, paymentId, NOW),
  'is the account’s alone no longer': (tx, paymentId) => endBuilt(tx, paymentId, NOW - 1),
  'lets go of its proof': (tx, paymentId) => letGo(tx, paymentId, NOW),
  'counts in the catalogue': (tx, paymentId, account) =>
    claims.countInCatalogue(tx, account, paymentId),
}
const BEFORE: Readonly<Record<string, string>> = {
  'comes back from it': 'is handed to another facilitator',
  'gives its success again': 'gives its success',
  'gets its success back': 'gives its success',
}

test.each(Object.entries(DEEDS))('one claim %s, and no other', async (name, deed) => {
  const before = DEEDS[BEFORE[name] ?? '']
  for (const each of before === undefined ? [] : [mine, ...others]) {
    await inService((tx) => before?.(tx, each, accountId) ?? Promise.resolve())
  }
  const untouched = await rowsOf(others)
  const own = await rowsOf([mine])
  await inService((tx) => deed(tx, mine, accountId))
  expect(await rowsOf([mine])).not.toEqual(own)
  expect(await rowsOf(others)).toEqual(untouched)
})

test('a claim is behind a payment of its own account only', async () => {
  const [, foreign = mine] = others
  expect(await inService((tx) => claims.claimOfPayment(tx, accountId, mine))).toBeDefined()
  expect(await inService((tx) => claims.claimOfPayment(tx, accountId, foreign))).toBeUndefined()
  expect(await inService((tx) => claims.countInCatalogue(tx, accountId, foreign))).toBe(false)
})

test('a claim counts in the catalogue once', async () => {
  const count = () => inService((tx) => claims.countInCatalogue(tx, accountId, mine))
  expect([await count(), await count()]).toEqual([true, false])
})

test('a turn is given back by whoever took it, and there is none of a claim whose success was given out', async () => {
  const take = () => inService((tx) => claims.takeTurn(tx, { paymentId: mine, ...TAKING }, NOW))
  const isTaken = () => inService((tx) => claims.isTurnTaken(tx, mine))
  const giveBack = (at: number) => inService((tx) => claims.giveTurnBack(tx, mine, at))
  expect([await take(), await take()]).toEqual([{ wasAsked: false }, undefined])
  await giveBack(NOW - 1)
  expect(await isTaken()).toBe(true)
  await giveBack(NOW)
  expect(await isTaken()).toBe(false)
  await inService((tx) => claims.takeAnswer(tx, mine, NOW))
  expect(await take()).toBeUndefined()
})

test('a claim is not tried again for other terms', async () => {
  const other = new Uint8Array(32).fill(8)
  const own = await rowsOf([mine])
  expect(await inService((tx) => claims.lockClaim(tx, { paymentId: mine, digest: other }))).toBe(
    false,
  )
  expect(await rowsOf([mine])).toEqual(own)
})

test('a success that was given out is taken, kept and given back by nobody twice', async () => {
  const take = () => inService((tx) => claims.takeAnswer(tx, mine, NOW))
  const giveBack = (at: number) => inService((tx) => claims.returnAnswer(tx, mine, at))
  const keep = () => inService((tx) => claims.keepAnswer(tx, mine))
  expect([await keep(), await giveBack(NOW)]).toEqual([false, false])
  expect([await take(), await take()]).toEqual([true, false])
  expect([await giveBack(NOW - 1), await giveBack(NOW), await giveBack(NOW)]).toEqual([
    false,
    true,
    false,
  ])
  expect([await take(), await keep(), await giveBack(NOW)]).toEqual([true, true, false])
})

test('a proof is let go of only where its claim is soft, unanswered and past its time, and then it is free', async () => {
  const go = (at = NOW) => inService((tx) => letGo(tx, mine, at))
  const [stored] = await rowsOf([mine])
  expect(await go(NOW - 1)).toBe(false)
  await inService((tx) => claims.takeAnswer(tx, mine, NOW))
  expect(await go()).toBe(false)
  await inService((tx) => claims.returnAnswer(tx, mine, NOW))
  expect(await rowsOf([mine])).toEqual([stored])
  expect(await go()).toBe(true)
  expect(await inService((tx) => claims.findClaim(tx, NETWORK, proofKey(mine)))).toBeUndefined()
  expect(await go()).toBe(false)
})

test('a proof that is claimed hard is let go of never', async () => {
  await inService((tx) => claims.lockClaim(tx, { paymentId: mine, digest: DIGEST }))
  expect(await inService((tx) => letGo(tx, mine, NOW))).toBe(false)
  expect(await inService((tx) => claims.findClaim(tx, NETWORK, proofKey(mine)))).toBeDefined()
})
