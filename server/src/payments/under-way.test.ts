import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TransactionHash } from '../chains/chain.ts'
import { OUTBOX_FACTS } from '../events/test-facts.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { violateFinality } from './move-payments.ts'
import { areUnderWay, decidedByOurs } from './status-store.ts'
import { carryTestClaim, openTestClaim, recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const config = testNetwork(84_532)
const NOBODY = newId(systemRandom, 'pay')

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

async function aClaim(): Promise<PaymentId> {
  const { accountId } = await makeWallet(database.store)
  const records = recordsOf(database.store, config)
  return openTestClaim(database.store, records, { config, accountId, createdAt: 0 })
}

/** A received payment that a transaction of ours carries; null: no block has it. */
async function carried(succeeded: boolean | null = null): Promise<PaymentId> {
  const paymentId = await aClaim()
  const hash = `0x${Buffer.from(systemRandom.bytes(32)).toString('hex')}` as TransactionHash
  const wallet = await makeWallet(database.store)
  await carryTestClaim(database.store, config.network, wallet, { paymentId, hash })
  await write(
    database.store,
    'test_place',
    `update chain_transactions set succeeded = $2, state = case when $2::boolean is null then 'open' else 'mined' end,
       mined_hash = case when $2::boolean is null then null else 'x' end
     where lane_address = $1`,
    [wallet.address, succeeded],
  )
  return paymentId
}

const end = (paymentId: PaymentId) =>
  write(database.store, 'test_end', `update payments set status = 'expired' where id = $1`, [
    paymentId,
  ])

test('a payment is under way while it is pending and bytes of ours for it are in no block', async () => {
  const [open, shown, without, over] = [
    await carried(),
    await carried(true),
    await aClaim(),
    await carried(),
  ]
  await end(over)
  const asked = [over, without, open, NOBODY, shown]
  expect(await areUnderWay(database.store, asked)).toEqual([false, false, true, false, false])
})

test('ours decides a payment that is not over while bytes of ours may still pay it, or have', async () => {
  const [open, paid, reverted, without, over] = [
    await carried(),
    await carried(true),
    await carried(false),
    await aClaim(),
    await carried(),
  ]
  await end(over)
  const decided = await database.store.inTransaction('service', (tx) =>
    decidedByOurs(tx, [open, paid, reverted, without, over, NOBODY]),
  )
  expect(decided).toEqual({ over: new Set([over]), underWay: new Set([open, paid]) })
})

test('whose final block was replaced is marked, and its owner is told', async () => {
  const [violated, other] = [await aClaim(), await aClaim()]
  const told = async () => {
    const rows = await database.store.query<{ id: PaymentId; violated: boolean; events: string }>(
      'test_told',
      `select p.id, p.finality_violated as violated,
         (select count(*) from ${OUTBOX_FACTS} where resource_id = p.id and type = 'payment') as events
       from payments p where p.id = any($1)`,
      [[violated, other]],
    )
    return new Map(rows.map(({ id, ...row }) => [id, { ...row, events: Number(row.events) }]))
  }
  const before = await told()
  await database.store.inTransaction('service', (tx) =>
    violateFinality(tx, [violated], systemClock.nowMilliseconds()),
  )
  const after = await told()
  expect(after.get(violated)).toEqual({
    violated: true,
    events: (before.get(violated)?.events ?? 0) + 1,
  })
  expect(after.get(other)).toEqual(before.get(other))
})
