import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { write } from '../store/test-write.ts'

export const HOUR = 3_600_000
export const STATUSES = ['pending', 'confirmed', 'settled', 'failed', 'expired'] as const
export type Status = (typeof STATUSES)[number]

/** An account with a wallet. */
export async function payingAccount(store: Store): Promise<AccountId> {
  const id = newId(systemRandom, 'acct')
  await write(store, 'test_account', `insert into accounts (id, name) values ($1, 'a')`, [id])
  await write(
    store,
    'test_wallet',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $1, '\\x00', '\\x00')`,
    [walletOf(id), id],
  )
  return id
}
const walletOf = (accountId: AccountId) => accountId.replace('acct_', 'wal_')

/** A payment as figures see it; so many milliseconds ago, and until it was seen. */
export interface PaidFields {
  readonly ago: number
  readonly status: Status
  readonly took: number
  readonly amount: bigint
  readonly asset: string
  readonly isDeposit: boolean
}

/** Writes a payment down, as if it had happened. */
export async function writePayment(
  tx: Tx,
  accountId: AccountId,
  fields: PaidFields,
): Promise<PaymentId> {
  const { ago, status, took, amount, asset, isDeposit } = fields
  const id = newId(systemRandom, 'pay')
  const at = Date.now() - ago
  const isSeen = status === 'confirmed' || status === 'settled'
  const seenAt = isSeen ? new Date(at + took) : null
  await tx.query(
    'test_pay',
    `insert into payments (id, account_id, wallet_id, type, network, asset, amount, decimals, sender, recipient, status, sandbox,
       created_at, confirmed_at, settled_at, transaction_hash, block_height, failure, occurrence)
     values ($1, $2, $12, $3, 'eip155:1', $4, $5, 6, 's', 'r', $6, true, $7, $8, $8, $9, 1, $10, $11)`,
    [
      ...[id, accountId, isDeposit ? 'received' : 'sent', asset, amount.toString(), status],
      ...[new Date(at), seenAt, isSeen || isDeposit ? id : null],
      ...[status === 'failed' ? '{}' : null, isDeposit ? 0 : null, walletOf(accountId)],
    ],
  )
  return id
}

/** In the middle of an hour: what one test writes one after the other falls into one. */
const AGO = 5 * HOUR + (Date.now() % HOUR) - HOUR / 2
export const plainPayment: PaidFields = {
  ...{ ago: AGO, status: 'settled', took: 900, amount: 10n ** 20n + 1n },
  ...{ asset: 'native', isDeposit: false },
}

/** What is summed up of an account, hour by hour. */
export const summedHours = (store: Store, accountId: AccountId) =>
  store.query<{ hour: Date; payments: string }>(
    'test_hours',
    'select hour, sum(payments) as payments from payment_hours where account_id = $1 group by hour order by hour',
    [accountId],
  )
