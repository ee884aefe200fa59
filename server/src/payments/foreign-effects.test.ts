import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ExactAuthorization, ExactPayments, ForeignSettlement } from '../chains/exact.ts'
import { beginSettlement } from '../facilitator/begin.ts'
import { findPaidElsewhere } from '../facilitator/paid-elsewhere.ts'
import type { BeginDeps, Beginning } from '../facilitator/beginning.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import type { Settlers } from '../facilitator/settlers.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { MinedTransaction } from '../sender/book.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPaymentBook } from './advance.ts'
import { findPayment } from './store.ts'
import { openTestClaim, recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork } from './test-lane.ts'
import { write } from '../store/test-write.ts'

const config = testNetwork(84_532)
const PLACE: ForeignSettlement = {
  hash: '0xfeed' as TransactionHash,
  height: 103n,
  blockHash: 'a103',
  logIndex: 4,
}
const USED = 'permit2_invalid_nonce'
const ELSEWHERE = { ...PLACE, logIndex: 5 }

let database: TestDatabase
let records: ReceivedRecords
let accountId: AccountId
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
  ;({ accountId } = wallet)
  records = recordsOf(database.store, config)
})
afterEach(() => database.close())

const aClaim = () =>
  openTestClaim(database.store, records, { config, accountId, createdAt: Date.UTC(2026, 0, 1) })

const paid = (paymentId: PaymentId, place = PLACE) =>
  database.store.inTransaction('service', (tx) =>
    records.paidElsewhere(tx, { accountId, paymentId }, place, false),
  )

const statusOf = async (paymentId: PaymentId) =>
  (await database.store.inTransaction('service', (tx) => records.state(tx, accountId, paymentId)))
    ?.status

const unseen = (paymentId: PaymentId) =>
  database.store.inTransaction('service', (tx) => records.unseen(tx, [paymentId]))

test('one effect pays one claim, however many it is found for', async () => {
  const [first, second] = [await aClaim(), await aClaim()]
  expect([await paid(first), await paid(second), await paid(first)]).toEqual([
    'paid',
    'pays another',
    'paid',
  ])
  expect([await statusOf(first), await statusOf(second)]).toEqual(['confirmed', 'pending'])
})

test('one effect pays one claim when it is found for several at the same moment', async () => {
  for (let round = 0; round < 10; round += 1) {
    const claims = await Promise.all(Array.from({ length: 6 }, aClaim))
    const place = { ...PLACE, logIndex: 100 + round }
    const words = await Promise.all(claims.map((claim) => paid(claim, place)))
    expect(words.filter((word) => word === 'paid')).toHaveLength(1)
    const statuses = await Promise.all(claims.map(statusOf))
    expect(statuses.filter((status) => status === 'confirmed')).toHaveLength(1)
  }
})

test('an effect is free again when its claim is not on chain any more, and that claim then has another', async () => {
  const [first, second] = [await aClaim(), await aClaim()]
  await paid(first)
  await unseen(first)
  expect(await paid(second)).toBe('paid')
  expect(await paid(first)).toBe('pays another')
  expect(await paid(first, ELSEWHERE)).toBe('paid')
})

test('a claim that moves to another effect leaves the one it had', async () => {
  const [first, second] = [await aClaim(), await aClaim()]
  await paid(first)
  expect(await paid(first, ELSEWHERE)).toBe('paid')
  expect(await paid(second)).toBe('paid')
})

test('a claim that somebody else was seen to have paid on a branch that was left is paid by our transaction where that took effect', async () => {
  const claim = await aClaim()
  await paid(claim)
  const payment = await database.store.inTransaction('service', (tx) =>
    findPayment(tx, accountId, claim),
  )
  if (payment === undefined) throw new Error('no record')
  const { asset, sender, recipient, amount } = payment
  const own: MinedTransaction = {
    ...{ network: config.network, hash: '0x0111' as TransactionHash, height: 103n },
    ...{ blockHash: 'b103', succeeded: true, feePaid: baseUnits(7n), paymentIds: [claim] },
    transfers: [{ asset, from: sender, to: recipient, amount, logIndex: 9 }],
  }
  const book = openPaymentBook({ clock: systemClock })
  const mined = () => database.store.inTransaction('service', (tx) => book.mined(tx, [own]))
  expect(await mined()).toMatchObject({ withoutEffect: [] })
  const now = await database.store.inTransaction('service', (tx) =>
    findPayment(tx, accountId, claim),
  )
  expect(now).toMatchObject({ status: 'confirmed', transactionHash: own.hash, logIndex: 9 })
  // The same again changes nothing, and tells nobody.
  const told = () =>
    database.store.query('test_told', 'select coalesce(sum(count), 0)::int as count from outbox')
  const before = await told()
  await mined()
  expect(await told()).toEqual(before)
})

test('our transaction that is final decides no claim that it has not paid', async () => {
  const [open, elsewhere] = [await aClaim(), await aClaim()]
  await paid(elsewhere)
  const find = (id: PaymentId) =>
    database.store.inTransaction('service', (tx) => findPayment(tx, accountId, id))
  const before = await Promise.all([find(open), find(elsewhere)])
  const own = {
    ...{ network: config.network, hash: '0x0222' as TransactionHash, height: 104n },
    ...{ blockHash: 'b104', feePaid: baseUnits(7n), paymentIds: [open, elsewhere] },
  }
  const book = openPaymentBook({ clock: systemClock })
  for (const succeeded of [true, false]) {
    await database.store.inTransaction('service', (tx) => book.final(tx, [{ ...own, succeeded }]))
    expect(await Promise.all([find(open), find(elsewhere)])).toEqual(before)
  }
  expect(before.map((each) => each?.status)).toEqual(['pending', 'confirmed'])
  const counted = () =>
    database.store.query(
      'test_counted',
      'select payment_id as id, transaction_hash as hash from effects',
    )
  expect(await counted()).toEqual([])
  // One beside them that it has paid is settled by it.
  const settled = await aClaim()
  const { asset, sender, recipient, amount } = (await find(settled)) ?? {}
  if (asset === undefined || sender === undefined || recipient === undefined) {
    throw new Error('no record')
  }
  const transfer = { asset, from: sender, to: recipient, amount: amount ?? 0n, logIndex: 9 }
  const all = { ...own, paymentIds: [open, elsewhere, settled], succeeded: true }
  await database.store.inTransaction('service', async (tx) => {
    await book.mined(tx, [{ ...all, paymentIds: [settled], transfers: [transfer] }])
    await book.final(tx, [all])
  })
  expect(await counted()).toEqual([{ id: settled, hash: own.hash }])
  expect(await find(settled)).toMatchObject({ status: 'settled', transactionHash: own.hash })
  expect(await Promise.all([find(open), find(elsewhere)])).toEqual(before)
})

test('a payment whose only trace pays another is refused as used up, and nothing of it is stored', async () => {
  await database.store.inTransaction('service', (tx) =>
    beginFollowing(tx, config.network, { height: 103n, hash: 'a103' }),
  )
  expect(await begin('one')).toEqual({ kind: 'found' })
  expect(await begin('two')).toEqual({ kind: 'refused', reason: USED, isUsed: true })
  const [stored] = await database.store.query<{ claims: string; payments: string }>(
    'test_stored',
    'select (select count(*) from settlement_claims) as claims, (select count(*) from payments) as payments',
  )
  expect(stored).toEqual({ claims: '1', payments: '1' })
})

test('a payment to a wallet of another account is found for nobody else', async () => {
  await database.store.inTransaction('service', (tx) =>
    beginFollowing(tx, config.network, { height: 103n, hash: 'a103' }),
  )
  const another = await makeWallet(database.store, 'another')
  expect(await findPaidElsewhere(...beginningOf('one', another.address))).toBe('unknown')
  expect(await findPaidElsewhere(...beginningOf('one'))).toBe('paid')
})

/** Begins to settle a payment of which the chain shows that it is used, and the search for by what always finds the same. */
function begin(name: string): Promise<unknown> {
  return beginSettlement(...beginningOf(name))
}

function beginningOf(name: string, payTo = '0xa2' as Address): [BeginDeps, Beginning] {
  const exact: Partial<ExactPayments> = {
    draft: async () => ({ ok: false, reason: USED, isUsed: true }),
    findForeign: async () => ({ kind: 'paid', settlement: PLACE }),
  }
  const asset = config.assets.find((each) => each.asset !== 'native')
  if (asset === undefined) throw new Error('no token')
  const authorization: ExactAuthorization = {
    ...{ proofKey: proofKey(name), payer: '0xa1' as Address, asset, payTo },
    ...{ amount: baseUnits(5n), validBeforeSeconds: 9n, feePayer: null, stored: {} },
  }
  const deps: Partial<BeginDeps> = {
    claims: { coming: () => () => undefined } as Partial<
      BeginDeps['claims']
    > as BeginDeps['claims'],
    ...{ store: database.store, records, clock: systemClock, killPoint: () => undefined },
    settlers: { next: () => wallet } as Partial<Settlers> as Settlers,
  }
  const chain = scriptedChain(config, {})
  return [
    deps as BeginDeps,
    {
      ...{ accountId, paymentId: newId(systemRandom, 'pay'), digest: new Uint8Array(32) },
      ...{ isNew: true },
      intake: {
        ...{ chain, exact: exact as ExactPayments, authorization },
        ...{ resource: null, payment: { x402Version: 2 } },
      },
    },
  ]
}

test('what a transaction of ours settled pays nobody else', async () => {
  const [first, second] = [await aClaim(), await aClaim()]
  await write(
    database.store,
    'test_settled_here',
    `update payments set status = 'settled', transaction_hash = $2, block_height = 103, block_hash = 'a103', log_index = 4
     where id = $1`,
    [first, PLACE.hash],
  )
  expect(await paid(second)).toBe('pays another')
  expect(await statusOf(second)).toBe('pending')
})
