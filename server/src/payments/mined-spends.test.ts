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
) =>
  write(
    database.store,
    'test_payment',
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox,
       created_at, fee_ceiling, fee_paid, transaction_hash, block_height, block_hash, log_index, failure, confirmed_at, settled_at)
     values ($1, $2, $3, $4, $5, $6, $7, 6, 'a', 'b', $8, true, now(), 20, 3,
       case when $9::bigint is not null then $1 end, $9, case when $9::bigint is not null then 'block' end, 0,
       case when $8 = 'failed' then '{"reason":"no_effect","message":"a test"}'::json end,
       case when $8 in ('confirmed', 'settled') then now() end, case when $8 = 'settled' then now() end)`,
    [
      ...[newId(systemRandom, 'pay'), of.accountId, type, of.id, network, TOKEN, amount],
      ...[status, height],
    ],
  )

const spends = () =>
  database.store.inTransaction('service', (tx) => minedSpends(tx, wallet, HERE, POSTED_ABOVE))
const spend = (amount: bigint, height = 12n, posted = false) => ({
  ...{ height, asset: TOKEN, amount, feeCeiling: 20n, feePaid: 3n, posted, fillsGap: false },
})

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
