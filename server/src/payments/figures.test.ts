import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TransactionHash } from '../chains/chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { paymentFigures } from './figures-store.ts'
import type { Payment } from './payment.ts'
import { changeStatus } from './store.ts'
import { openReading } from './test-records.ts'
import type { Reading } from './test-records.ts'
import { write } from '../store/test-write.ts'

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

const tallied = () => database.store.inTransaction('service', paymentFigures)
const counted = () =>
  database.store.query<{ network: string; type: string; status: string; count: string }>(
    'test_counted',
    `select network, type, status, count(*) from payments group by 1, 2, 3`,
  )
/** What is not zero, in one order. */
const sorted = (
  rows: readonly { network: string; type: string; status: string; count: unknown }[],
) =>
  rows
    .filter(({ count }) => Number(count) !== 0)
    .map(({ network, type, status, count }) => `${network} ${type} ${status} ${String(count)}`)
    .toSorted()

const seen = ({ id }: Payment) => ({
  paymentId: id,
  transactionHash: '0xaa' as TransactionHash,
  blockHeight: 7n,
  blockHash: 'a7',
  logIndex: null,
  feePaid: null,
  failure: null,
})
const nothing = { transactionHash: null, blockHeight: null, blockHash: null }
const confirm = (payments: readonly Payment[]) =>
  database.store.inTransaction('service', (tx) =>
    changeStatus(tx, 'confirmed', payments.map(seen), 1),
  )

test('the tallies say what counting would say, after new payments, every move, a reorg and a rollback', async () => {
  const { store } = database
  const sent = Array.from({ length: 6 }, () => reading.payment())
  const received = [reading.payment({ type: 'received' })]
  await reading.store([...sent, ...received])
  expect(sorted(await tallied())).toEqual([
    'eip155:84532 received pending 1',
    'eip155:84532 sent pending 6',
  ])
  await confirm(sent.slice(0, 4))
  // A repeat moves nothing, and a change beside the status counts nothing.
  await confirm(sent.slice(0, 4))
  await write(store, 'test_touch', `update payments set metadata = '{}'`)
  const [first, second, third] = sent
  if (first === undefined || second === undefined || third === undefined) throw new Error('none')
  await store.inTransaction('service', async (tx) => {
    await changeStatus(tx, 'pending', [{ ...seen(first), ...nothing }], 2)
    await changeStatus(tx, 'settled', [seen(second)], 2)
  })
  const undone = store.inTransaction('service', async (tx) => {
    await changeStatus(tx, 'settled', [seen(third)], 2)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(sorted(await tallied())).toEqual([
    'eip155:84532 received pending 1',
    'eip155:84532 sent confirmed 2',
    'eip155:84532 sent pending 3',
    'eip155:84532 sent settled 1',
  ])
  expect(sorted(await tallied())).toEqual(sorted(await counted()))
})

test('many at once, in and out of every status, wait for nobody and are counted exactly', async () => {
  const batches = Array.from({ length: 40 }, () => [reading.payment(), reading.payment()])
  await Promise.all(batches.map((batch) => reading.store(batch)))
  await Promise.all(batches.map((batch) => confirm(batch)))
  expect(sorted(await tallied())).toEqual(sorted(await counted()))
})

test('the service itself can change no tally', async () => {
  await expect(
    write(database.store, 'test_forge', `update payment_tallies set count = 0`),
  ).rejects.toThrow('permission denied')
})
