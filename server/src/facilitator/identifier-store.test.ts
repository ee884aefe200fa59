import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../access/create-account.ts'
import type { Address } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ProofKey } from '../chains/exact.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { openReceivedRecords } from '../payments/received.ts'
import { testNetwork, TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { closeClaim } from './claim-looks-store.ts'
import { insertClaim } from './claim-store.ts'
import { forgetIdentifiers, isIdentifierTaken, takeIdentifier } from './identifier-store.ts'
import type { NamedPayment } from './identifier-store.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'
import { noWaits } from '../payments/test-waits.ts'

const NOW = 1_790_000_000_000
const DAYS = limits.paymentIdentifierKeptDays * 24 * 3_600_000
const config = testNetwork(84_532)
const { network } = config
const PAYER = '0x00000000000000000000000000000000000000a1' as Address

let database: TestDatabase
let records: ReceivedRecords
let accountId: AccountId
beforeAll(async () => {
  database = await openTestDatabase()
  records = openReceivedRecords({
    ...{ clock: systemClock, waits: noWaits },
    networks: new Map([[network, config]]),
    inTransaction: (scope, work) => database.store.inTransaction(scope, work),
  })
  const deps = { store: database.store, clock: systemClock, random: systemRandom }
  accountId = (await createAccount(deps, 'seller')).accountId
})
afterAll(() => database.close())

/** Of a claim, whose key is that of its proof. */
type NamedClaim = NamedPayment & { readonly proofKey: ProofKey }
const payment = (identifier: string, proof: string): NamedClaim => ({
  ...{ accountId, payer: PAYER, identifier: `${identifier}-0123456789` },
  ...{ network, proofKey: proofKey(proof) },
})
/** What became of every payment that is asked for. */
const all = (status: ReceivedState['status']) => ({
  state: async () => ({ status }) as ReceivedState,
})

/** Claims a payment and takes its name in one transaction, which is rolled back when it does not have it. */
async function claim(named: NamedClaim, others = all('pending'), now = NOW) {
  const paymentId = newId(systemRandom, 'pay')
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  const received = {
    ...{
      paymentId,
      accountId: named.accountId,
      network: config,
      asset,
      amount: baseUnits(5n),
      payer: PAYER,
    },
    ...{ payTo: PAYER, resource: null },
  }
  const claimed = {
    ...{ paymentId, accountId: named.accountId, network, proofKey: named.proofKey },
    ...{ termsDigest: new Uint8Array(32), x402Version: 2 as const, stored: {} },
    ...{ validBeforeSeconds: null, sinceHeight: 0n },
  }
  const refused = new Error('another payment has it')
  const work = database.store.inTransaction('service', async (tx) => {
    await insertClaim(tx, claimed, now)
    if (!(await takeIdentifier(tx, others, named, now))) throw refused
    await records.open(tx, received)
    return paymentId
  })
  return work.catch((error: unknown) => {
    if (error !== refused) throw error
  })
}
const close = (paymentId: PaymentId | void) =>
  database.store.inTransaction('service', (tx) => closeClaim(tx, paymentId as PaymentId, NOW))
const isTaken = (named: NamedPayment, by = all('pending')) =>
  database.store.inTransaction('service', (tx) => isIdentifierTaken(tx, by, named))
const forget = (now: number) =>
  database.store.inTransaction('service', (tx) => forgetIdentifiers(tx, now))

test.each(['pending', 'confirmed', 'settled'] as const)(
  'the name of a payment that is %s is no other payment’s',
  async (status) => {
    const [first, second] = [payment(status, `${status} 1`), payment(status, `${status} 2`)]
    expect(await claim(first)).toBeDefined()
    expect(await isTaken(first)).toBe(false)
    expect(await isTaken(second, all(status))).toBe(true)
    expect(await claim(second, all(status))).toBeUndefined()
  },
)

test.each(['expired', 'failed'] as const)(
  'a payment that is %s leaves its name to the next, and to one only',
  async (status) => {
    const named = (each: number) => payment(status, `${status} ${each}`)
    await claim(named(1))
    expect(await isTaken(named(2), all(status))).toBe(false)
    expect(await claim(named(2), all(status))).toBeDefined()
    expect(await claim(named(3))).toBeUndefined()
  },
)

test('of payments that are claimed under one name at the same moment, one is', async () => {
  const named = Array.from({ length: 6 }, (_, at) => payment('at-once', `at once ${at}`))
  const claimed = await Promise.all(named.map((each) => claim(each)))
  expect(claimed.filter((each) => each !== undefined)).toHaveLength(1)
})

test('a name is kept for its days from when it was taken last, also where a clock was set back meanwhile', async () => {
  const [first, second, third] = [1, 2, 3].map((at) => payment('renewed', `renewed ${at}`))
  if (first === undefined || second === undefined || third === undefined) throw new Error('none')
  await close(await claim(first, undefined, NOW))
  await close(await claim(second, all('expired'), NOW + 2))
  await forget(NOW + DAYS + 2)
  expect(await isTaken(third)).toBe(true)
  await close(await claim(third, all('expired'), NOW + 1))
  await forget(NOW + DAYS + 2)
  expect(await isTaken(first)).toBe(true)
  const again = (now: number) =>
    database.store.inTransaction('service', (tx) => takeIdentifier(tx, all('pending'), third, now))
  for (const [now, last] of [
    [NOW + 1, 2],
    [NOW + 4, 4],
  ] as const) {
    expect(await again(now)).toBe(true)
    await forget(NOW + DAYS + last)
    expect(await isTaken(first)).toBe(true)
  }
  await forget(NOW + DAYS + 5)
  expect(await isTaken(first)).toBe(false)
})

test('a name is that of one account and payer, and of its payment on one network', async () => {
  const deps = { store: database.store, clock: systemClock, random: systemRandom }
  const other = (await createAccount(deps, 'another seller')).accountId
  const mine = payment('apart', 'apart 1')
  const others = [
    { ...payment('apart', 'apart 2'), accountId: other },
    { ...payment('apart', 'apart 3'), payer: '0x00000000000000000000000000000000000000a2' },
    { ...payment('apart-too', 'apart 4') },
  ]
  for (const each of [mine, ...others]) expect(await claim(each)).toBeDefined()
  for (const each of [mine, ...others]) expect(await isTaken(each)).toBe(false)
  const next = { ...mine, network: testNetwork(1).network }
  expect(await isTaken(next)).toBe(true)
  const take = (status: ReceivedState['status']) =>
    database.store.inTransaction('service', (tx) => takeIdentifier(tx, all(status), next, NOW))
  expect(await take('pending')).toBe(false)
  expect(await take('expired')).toBe(true)
  const kept = await database.store.query(
    'test_kept',
    `select account_id as "accountId", payer, identifier, network, proof_key as "proofKey" from payment_identifiers
     where identifier like 'apart-%'`,
  )
  expect(kept).toEqual(expect.arrayContaining([next, ...others]))
  expect(kept).toHaveLength(4)
})

test('names are forgotten after their days', async () => {
  const [first, second] = [payment('forgotten', 'five'), payment('forgotten', 'six')]
  await close(await claim(first, undefined, NOW + DAYS))
  await forget(NOW + 2 * DAYS)
  expect(await isTaken(second)).toBe(true)
  await forget(NOW + 2 * DAYS + 1)
  expect(await isTaken(second)).toBe(false)
})

test('the name of a payment that may yet be paid is kept beyond them', async () => {
  const [first, second] = [payment('followed', 'seven'), payment('followed', 'eight')]
  const paymentId = await claim(first)
  await forget(NOW + DAYS + 1)
  expect(await isTaken(second)).toBe(true)
  await close(paymentId)
  await forget(NOW + DAYS + 1)
  expect(await isTaken(second)).toBe(false)
})

test('so many are forgotten at once, those first that were taken first', async () => {
  const named = [1, 2, 3].map((at) => payment('old', `old ${at}`))
  for (const [at, each] of named.entries()) {
    await close(await claim({ ...each, identifier: `${each.identifier}-${at}` }, undefined, at + 1))
  }
  const old = async () => {
    const rows = await database.store.query<{ at: string }>(
      'test_old_names',
      `select right(identifier, 1) as at from payment_identifiers where identifier like 'old-%' order by 1`,
    )
    return rows.map(({ at }) => at)
  }
  const forgetTwo = () =>
    database.store.inTransaction('service', (tx) => forgetIdentifiers(tx, NOW, 2))
  await forgetTwo()
  expect(await old()).toEqual(['2'])
  await forgetTwo()
  expect(await old()).toEqual([])
})
