import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Wallet } from '../custody/wallet.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { minedSpends } from './mined-spends-store.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'

const HERE = testNetwork(71_961).network
const THERE = testNetwork(71_962).network
const POSTED_ABOVE = 10n

let database: TestDatabase
let wallet: Wallet
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  wallet = await makeWallet(database.store)
})

/** A payment with 20 set aside for its fee, of which the network took 3. */
const store = (
  amount: number,
  {
    of = wallet,
    network = HERE,
    type = 'sent',
    status = 'confirmed',
    height = 12,
  }: {
    of?: Wallet
    network?: string
    type?: 'sent' | 'received'
    status?: 'pending' | 'confirmed' | 'settled' | 'failed'
    height?: number | null
  } = {},
) => {
  const id = newId(systemRandom, 'pay')
  return write(
    database.store,
    'test_payment',
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox,
       created_at, fee_ceiling, fee_paid, transaction_hash, block_height, block_hash, log_index, failure, confirmed_at, settled_at)
     values ($1, $2, $3, $4, $5, $6, $7, 6, 'a', 'b', $8, true, now(), 20, 3,
       case when $9::bigint is not null then $1 end, $9, case when $9::bigint is not null then 'block' end, 0,
       case when $8 = 'failed' then '{"reason":"no_effect","message":"a test"}'::json end,
       case when $8 in ('confirmed', 'settled') then now() end, case when $8 = 'settled' then now() end)`,
    [...[id, of.accountId, type, of.id, network, TOKEN, amount], ...[status, height]],
  ).then(() => id)
}

const spends = () =>
  database.store.inTransaction('service', (tx) => minedSpends(tx, wallet, HERE, POSTED_ABOVE))
const spend = (amount: bigint, height = 12n, posted = false) => ({
  ...{ height, asset: TOKEN, amount, feeCeiling: 20n, feePaid: 3n, posted, fillsGap: false },
})

/** A place of a lane that carries a payment or fills a gap, of which the network took 3 where it is in a block. */
const place = async (
  nonce: number,
  state: 'open' | 'mined' | 'final' | 'dead',
  {
    height = state === 'mined' || state === 'final' ? 12 : null,
    carries = null,
    bookedFee,
    of: { address } = wallet,
    network = HERE,
  }: {
    height?: number | null
    carries?: string | null
    /** Null for what is not in the books yet, left out for what fills no gap. */
    bookedFee?: number | null
    of?: Wallet
    network?: string
  } = {},
) => {
  await write(
    database.store,
    'test_place',
    `with lane as (insert into lanes (network, address, next_nonce) values ($1, $2, 0) on conflict do nothing),
     placed as (
       insert into chain_transactions (network, lane_address, nonce, state, fee_ceiling, created_at, mined_hash, mined_height, fee_paid)
       values ($1, $2, $3, $4, 20, now(), case when $5::bigint is not null then 'x' end, $5, case when $5::bigint is not null then 3 end)
       returning id
     ), carried as (
       insert into payment_transactions (payment_id, chain_transaction_id, effect_index)
       select $6::text, id, 0 from placed where $6::text is not null
     ) insert into gap_fillings (chain_transaction_id, network, lane_address, booked_fee)
     select id, $1, $2, $8::numeric from placed where $7::boolean`,
    [
      ...[network, address, nonce, state, height, carries],
      ...[bookedFee !== undefined, bookedFee ?? null],
    ],
  )
}

test('what a wallet has spent in blocks counts, and neither what another one, nor what it did elsewhere', async () => {
  await store(5)
  await store(100, { of: await makeWallet(database.store) })
  await store(200, { network: THERE })
  expect(await spends()).toEqual([spend(5n)])
})

test('neither what came in counts nor what no block has', async () => {
  await store(5)
  await store(100, { type: 'received' })
  await store(200, { status: 'pending', height: null })
  expect(await spends()).toEqual([spend(5n)])
})

test('what is final counts as posted, where a draft’s balance may not show it yet', async () => {
  await store(5, { status: 'settled', height: 11 })
  await store(100, { status: 'settled', height: Number(POSTED_ABOVE) })
  expect(await spends()).toEqual([spend(5n, 11n, true)])
})

test('what failed has cost its fee alone', async () => {
  await store(5, { status: 'failed' })
  expect(await spends()).toEqual([spend(0n, 12n, true)])
})

test('what is not final yet counts however deep it is', async () => {
  await store(5, { height: 2 })
  expect(await spends()).toEqual([spend(5n, 2n)])
})

test('what fills gaps of a lane takes its fees: what is not in the books, and what is above the height', async () => {
  const fees = (height: bigint, feePaid: bigint, posted: boolean) => ({
    ...{ height, asset: 'native', amount: 0n, feeCeiling: 20n, feePaid, posted, fillsGap: true },
  })
  await place(1, 'open', { bookedFee: null })
  await place(2, 'mined', { height: 4, bookedFee: null })
  await place(3, 'final', { height: Number(POSTED_ABOVE) + 1, bookedFee: 3 })
  // Its final block was replaced: it counts where it is now, with what the books have.
  await place(4, 'mined', { height: 13, bookedFee: 2 })
  await place(5, 'final', { height: Number(POSTED_ABOVE), bookedFee: 3 })
  await place(6, 'dead', { bookedFee: null })
  await place(7, 'mined')
  await place(1, 'mined', { bookedFee: null, network: THERE })
  await place(1, 'mined', { bookedFee: null, of: await makeWallet(database.store) })
  const found = await spends()
  expect(found.toSorted((one, other) => Number(one.height - other.height))).toEqual([
    fees(4n, 3n, false),
    fees(11n, 3n, true),
    fees(13n, 2n, true),
    fees(2n ** 63n - 1n, 0n, false),
  ])
})

test('what was final and is in no such block any more counts as final where it is now, as long as the first of its lane was settled', async () => {
  const settled = { status: 'settled', height: Number(POSTED_ABOVE) } as const
  const other = await makeWallet(database.store)
  const [first, second, ...others] = [
    await store(5, settled),
    await store(7, settled),
    await store(100, { ...settled, of: other }),
    await store(200, { ...settled, type: 'received' }),
    await store(400, { status: 'pending', height: null }),
  ]
  await place(1, 'mined', { height: 14, carries: first })
  for (const [index, carries] of others.entries()) await place(2 + index, 'open', { carries })
  await place(9, 'open', { carries: second })
  await place(10, 'final', { carries: await store(800, settled) })
  expect(await spends()).toEqual(
    expect.arrayContaining([spend(5n, 14n, true), spend(7n, 2n ** 63n - 1n, true)]),
  )
  expect(await spends()).toHaveLength(2)
  await place(0, 'open', { carries: await store(1, { status: 'pending', height: null }) })
  expect(await spends()).toEqual([])
})
