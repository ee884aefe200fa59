import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { sqlState } from '../store/postgres.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write as writeRows } from '../store/test-write.ts'
import { correction, funding, hold, ownFee, post } from './entry.ts'
import type { LedgerTransfer } from './entry.ts'
import { readBalances, record } from './store.ts'

const NOW = 1_790_000_000_000
const network = parseNetworkId('eip155:84532')
if (network === undefined) throw new Error('not a network')
const accountId = newId(systemRandom, 'acct')
const walletId = newId(systemRandom, 'wal')
const place = { accountId, walletId, network, asset: 'native' }

let database: TestDatabase
const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  database.store.inTransaction(accountId, work)
beforeAll(async () => {
  database = await openTestDatabase()
  await inTransaction(async (tx) => {
    await tx.query('test_account', `insert into accounts (id, name) values ($1, 'a')`, [accountId])
    await tx.query(
      'test_wallet',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       values ($1, $2, 'evm', $1, '', '')`,
      [walletId, accountId],
    )
  })
})
afterAll(() => database.close())

const holding = async (amount: bigint) => {
  const paymentId: PaymentId = newId(systemRandom, 'pay')
  await inTransaction((tx) =>
    tx.query(
      'test_payment',
      `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender,
         recipient, sandbox, created_at)
       values ($1, $2, 'sent', $3, $4, 'native', 1, 18, 's', 'r', true, now())`,
      [paymentId, accountId, walletId, network],
    ),
  )
  return { ...place, paymentId, amount }
}
const write = (...transfers: readonly LedgerTransfer[]) =>
  inTransaction((tx) => record(tx, transfers, NOW))
const refused = async (...transfers: readonly LedgerTransfer[]) =>
  await expect(write(...transfers)).rejects.toThrow('never below zero')
const books = async () => {
  const [book] = await inTransaction((tx) => readBalances(tx, { accountId, walletId }))
  return [book?.available, book?.held]
}

test('books go below zero by what a network took above a hold, and by nothing else', async () => {
  const [first, other, third] = [await holding(60n), await holding(40n), await holding(1n)]
  await write(funding(place, 100n), hold(first), hold(other))
  await write(post(first, { moved: 50n, fee: 25n }))
  expect(await books()).toEqual([-15n, 40n])
  await refused(hold(third))
  await refused(funding(place, 15n), hold(third))
  await refused(correction(place, 1n))
  // The rest of another payment fills it up in part, and what is filled up cannot be spent again.
  await write(post(other, { moved: 30n, fee: 1n }))
  expect(await books()).toEqual([-6n, 0n])
  await refused(correction(place, 9n))
  await write(ownFee(place, 2n))
  await write(funding(place, 9n), hold(third))
  expect(await books()).toEqual([0n, 1n])
  await refused(correction(place, 1n))
  const less = writeRows(
    database.store,
    'test_held_below',
    `update ledger_accounts set balance = -1, overdrawn = 1 where wallet_id = $1 and kind = 'held'`,
    [walletId],
  )
  expect(sqlState(await less.catch((error: unknown) => error))).toBe('23514')
})
