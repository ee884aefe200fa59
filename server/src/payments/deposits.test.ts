import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Deposit } from '../sender/deposit-book.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openDepositBook } from './deposits.ts'
import { openReceivedRecords } from './received.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'
import { noWaits } from './test-waits.ts'

const config = testNetwork(84_532)
const { network } = config
const PAYER = '0x00000000000000000000000000000000000000a1' as Address
const HASH = '0xfeed' as TransactionHash

let database: TestDatabase
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterEach(() => database.close())

/** The nth of equal transfers of one transaction, in a block. */
function depositIn(height: bigint, effectIndex: number): Deposit {
  return {
    transactionHash: HASH,
    height,
    blockHash: `block ${height}`,
    asset: TOKEN,
    from: PAYER,
    to: wallet.address,
    amount: baseUnits(5n),
    effectIndex,
    walletId: wallet.id,
    accountId: wallet.accountId,
  }
}

test('a transaction of equal transfers is taken in again after a reorg, whoever had claimed one of them', async () => {
  const { store } = database
  const book = openDepositBook({ clock: systemClock, random: systemRandom })
  const records = openReceivedRecords({
    clock: systemClock,
    waits: noWaits,
    networks: new Map([[network, config]]),
    inTransaction: (scope, work) => store.inTransaction(scope, work),
  })
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  const { accountId, address: payTo } = wallet
  const claimed = { paymentId: newId(systemRandom, 'pay'), accountId }
  const place = { hash: HASH, height: 101n, blockHash: 'block 101', logIndex: 1 }
  await store.inTransaction('service', async (tx) => {
    const terms = { asset, amount: baseUnits(5n), payer: PAYER, payTo, resource: null }
    await records.open(tx, { ...claimed, ...terms, network: config })
    await records.paidElsewhere(tx, claimed, place, false)
    await book.arrived(tx, config, [depositIn(101n, 1), depositIn(101n, 3)])
  })
  await store.inTransaction('service', async (tx) => {
    await book.undone(tx, network, 100n)
    await records.unseen(tx, [claimed.paymentId])
    await book.arrived(tx, config, [depositIn(102n, 1), depositIn(102n, 3)])
  })
  const deposits = await store.query<{ status: string; block_height: string; log_index: number }>(
    'test_deposits',
    `select status, block_height, log_index from payments where occurrence is not null order by log_index`,
  )
  expect(deposits).toEqual([
    { status: 'confirmed', block_height: '102', log_index: 1 },
    { status: 'confirmed', block_height: '102', log_index: 3 },
  ])
})
