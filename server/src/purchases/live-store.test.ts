import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import * as live from './live-store.ts'
import { aPurchase } from './test-purchase.ts'

const HEIGHT = 5n
const DAY_MILLISECONDS = 86_400_000
const CLOSED = Date.UTC(2026, 8, 21)

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
  reading = await openReading(database.store)
})
afterAll(async () => {
  await reading.close()
  await database.close()
})
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

let chains = 76_000
async function purchase(chainId = (chains += 1)) {
  const scene = { store: database.store, reading }
  const { purchase: bought } = await aPurchase(scene, chainId, 1n)
  return { paymentId: bought.paymentId, network: bought.network }
}

const use = (paymentId: PaymentId, blockHash = 'b5') => {
  const place = { hash: '0xused' as TransactionHash, height: HEIGHT, blockHash, logIndex: 3 }
  return inService((tx) => live.noteUsed(tx, [{ ...place, paymentId }]))
}
const call = (paymentId: PaymentId) =>
  inService((tx) => live.noteDead(tx, [{ paymentId, height: HEIGHT }]))
const dead = (network: NetworkId) => inService((tx) => live.deadBelow(tx, network, HEIGHT, 9))
const used = async (network: NetworkId) => {
  const found = await inService((tx) => live.usedBelow(tx, network, HEIGHT, 9))
  return found.map(({ paymentId }) => paymentId)
}

test('what was used is called dead by nobody, also not once its block is gone, and what was called dead and used is not', async () => {
  const { paymentId, network } = await purchase()
  await call(paymentId)
  expect(await dead(network)).toEqual([paymentId])
  await use(paymentId)
  await call(paymentId)
  for (const forget of [
    (tx: Tx) => live.forgetPlace(tx, [paymentId]),
    (tx: Tx) => live.forgetUsed(tx, network, HEIGHT - 1n),
  ]) {
    expect([await used(network), await dead(network)]).toEqual([[paymentId], []])
    await inService<unknown>(forget)
    expect([await used(network), await dead(network)]).toEqual([[], []])
    await use(paymentId)
  }
})

const rowsOf = (paymentId: PaymentId) =>
  database.store.query('test_rows', 'select p from purchases p where payment_id = $1', [paymentId])

test('where a purchase was used stands, whatever another look finds meanwhile', async () => {
  const { paymentId } = await purchase()
  expect(await use(paymentId)).toEqual(new Set([paymentId]))
  const first = await rowsOf(paymentId)
  expect(await use(paymentId, 'b5 of another fork')).toEqual(new Set())
  expect(await rowsOf(paymentId)).toEqual(first)
})

test('what was put aside since it was looked at is called dead by nobody: a person decides', async () => {
  const { paymentId, network } = await purchase()
  await call(paymentId)
  await inService((tx) => live.putAside(tx, [paymentId]))
  await call(paymentId)
  expect(await dead(network)).toEqual([])
})

test('what has come to nothing for good is neither used nor dead any more', async () => {
  const { paymentId, network } = await purchase()
  await call(paymentId)
  await inService((tx) => live.closePurchases(tx, [paymentId], CLOSED))
  const closed = await rowsOf(paymentId)
  expect(await dead(network)).toEqual([])
  await inService((tx) => live.noteDead(tx, [{ paymentId, height: HEIGHT + 1n }]))
  expect(await use(paymentId)).toEqual(new Set())
  expect(await rowsOf(paymentId)).toEqual(closed)
})

test('what is closed is neither used nor dead nor forgotten any more', async () => {
  const { paymentId, network } = await purchase()
  const rows = () => rowsOf(paymentId)
  await use(paymentId)
  await inService((tx) => live.closePurchases(tx, [paymentId], CLOSED))
  const closed = await rows()
  await call(paymentId)
  expect(await use(paymentId)).toEqual(new Set())
  await inService((tx) => live.forgetPlace(tx, [paymentId]))
  await inService((tx) => live.putAside(tx, [paymentId]))
  expect(await inService((tx) => live.forgetUsed(tx, network, 0n))).toEqual([])
  await inService((tx) => live.closePurchases(tx, [paymentId], CLOSED + 1))
  expect(await rows()).toEqual(closed)
  expect([await used(network), await dead(network)]).toEqual([[], []])
  expect(await inService((tx) => live.settledAbove(tx, network, HEIGHT - 1n))).toEqual([paymentId])
})

test('what one network shows of purchases it shows of none of another', async () => {
  const [own, other, silent, elsewhere] = [
    await purchase(),
    await purchase(),
    await purchase(chains - 1),
    await purchase(chains),
  ]
  await use(own.paymentId)
  await use(other.paymentId)
  for (const each of [silent, elsewhere]) await call(each.paymentId)
  expect([await used(own.network), await dead(own.network)]).toEqual([
    [own.paymentId],
    [silent.paymentId],
  ])
  const undone = await inService((tx) => live.forgetUsed(tx, own.network, HEIGHT - 1n))
  expect(undone.map(({ paymentId }) => paymentId)).toEqual([own.paymentId])
  expect([await used(own.network), await dead(own.network)]).toEqual([[], []])
  expect([await used(other.network), await dead(other.network)]).toEqual([
    [other.paymentId],
    [elsewhere.paymentId],
  ])
  await purchase(chains)
  const due = await inService((tx) => live.silentPurchases(tx, own.network, CLOSED))
  expect(due.map(({ paymentId }) => paymentId).toSorted()).toEqual(
    [own.paymentId, silent.paymentId].toSorted(),
  )
  for (const { paymentId } of [own, other]) {
    await use(paymentId)
    await inService((tx) => live.closePurchases(tx, [paymentId], CLOSED))
  }
  expect(await inService((tx) => live.settledAbove(tx, own.network, 0n))).toEqual([own.paymentId])
})

test('sellers’ answers are forgotten after their time, the oldest first and so many at once, and none of what is open', async () => {
  const bought: PaymentId[] = []
  for (const closedAt of [CLOSED + 2, CLOSED, CLOSED + 1, CLOSED + DAY_MILLISECONDS, null]) {
    const { paymentId } = await purchase()
    bought.push(paymentId)
    await write(
      database.store,
      'test_answered',
      `update purchases set answer_status = 200, answer_headers = '{}', answer_body = 'goods' where payment_id = $1`,
      [paymentId],
    )
    if (closedAt === null) continue
    await inService((tx) => live.closePurchases(tx, [paymentId], closedAt))
  }
  const kept = async () => {
    const rows = await database.store.query<{ payment_id: PaymentId }>(
      'test_kept',
      'select payment_id from purchases where payment_id = any($1) and answer_body is not null and answer_headers is not null',
      [bought],
    )
    const ids = new Set(rows.map((row) => row.payment_id))
    return bought.flatMap((paymentId, index) => (ids.has(paymentId) ? [index] : []))
  }
  const forget = (count: number) =>
    inService((tx) => live.forgetAnswers(tx, CLOSED + DAY_MILLISECONDS, count))
  expect(await forget(1)).toBe(1)
  expect(await kept()).toEqual([0, 2, 3, 4])
  expect(await forget(1)).toBe(1)
  expect(await kept()).toEqual([0, 3, 4])
  expect(await forget(9)).toBe(1)
  expect(await kept()).toEqual([3, 4])
  expect(await forget(9)).toBe(0)
})
