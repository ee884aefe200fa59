import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { Payment } from './payment.ts'
import { PAYMENT_COLUMNS, paymentOf } from './store.ts'
import type { PaymentRow } from './store.ts'

/** A built payment where its effect was seen last. */
export interface SeenBuilt {
  readonly id: PaymentId
  readonly accountId: AccountId
  readonly status: 'confirmed' | 'settled'
  /** Whether the transaction carries its commitment: only then is the effect its own beyond doubt. */
  readonly isCommitted: boolean
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly effectIndex: number
  readonly feePaid: BaseUnits
}

interface SeenRow {
  readonly id: PaymentId
  readonly account_id: AccountId
  readonly status: 'confirmed' | 'settled'
  readonly is_committed: boolean
  readonly transaction_hash: TransactionHash
  readonly block_height: string
  readonly block_hash: string
  readonly log_index: number
  readonly fee_paid: string
}

const SEEN = `id, account_id, status, commitment is not null as is_committed, transaction_hash, block_height, block_hash,
  log_index, fee_paid`

function seenOf(row: SeenRow): SeenBuilt {
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    isCommitted: row.is_committed,
    transactionHash: row.transaction_hash,
    height: BigInt(row.block_height),
    blockHash: row.block_hash,
    effectIndex: row.log_index,
    feePaid: baseUnits(row.fee_paid),
  }
}

/** Built payments seen in blocks above a height, settled ones among them. */
export async function builtAbove(
  tx: Tx,
  network: NetworkId,
  height: bigint,
): Promise<readonly SeenBuilt[]> {
  const rows = await tx.query<SeenRow>(
    'built_above',
    `select ${SEEN} from payments
     where network = $1 and block_height > $2 and self_custody and status = 'confirmed'
     union all
     select ${SEEN} from payments
     where network = $1 and block_height > $2 and self_custody and status = 'settled'`,
    [network, height.toString()],
  )
  return rows.map(seenOf)
}

/** Confirmed built payments at or below a height, the lowest first. */
export async function confirmedBuilt(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  count: number,
): Promise<readonly SeenBuilt[]> {
  const rows = await tx.query<SeenRow>(
    'built_confirmed',
    `select ${SEEN} from payments
     where network = $1 and block_height <= $2 and self_custody and status = 'confirmed'
     order by block_height, id limit $3`,
    [network, height.toString(), count],
  )
  return rows.map(seenOf)
}

/** Claims the effects of built payments; the ids of those that nobody had claimed before. */
export async function claimBuilt(
  tx: Tx,
  network: NetworkId,
  built: readonly SeenBuilt[],
  nowMilliseconds: number,
): Promise<ReadonlySet<PaymentId>> {
  if (built.length === 0) return new Set()
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'built_claim',
    `insert into effects (network, transaction_hash, effect_index, direction, payment_id, account_id, created_at)
     select $1, hash, effect_index, 'sent', payment_id, account_id, to_timestamp($6 / 1000.0)
     from unnest($2::text[], $3::integer[], $4::text[], $5::text[]) as b (hash, effect_index, payment_id, account_id)
     on conflict (network, transaction_hash, effect_index, direction) do nothing
     returning payment_id`,
    [
      network,
      built.map(({ transactionHash }) => transactionHash),
      built.map(({ effectIndex }) => effectIndex),
      built.map(({ id }) => id),
      built.map(({ accountId }) => accountId),
      nowMilliseconds,
    ],
  )
  return new Set(rows.map((row) => row.payment_id))
}

/** Notes once that a payment's owner gave it up; false when that was known. */
export async function abandonBuilt(
  tx: Tx,
  accountId: AccountId,
  paymentId: PaymentId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query<{ id: string }>(
    'built_abandon',
    `update payments set abandoned_at = to_timestamp($3 / 1000.0)
     where account_id = $1 and id = $2 and self_custody and abandoned_at is null returning id`,
    [accountId, paymentId, nowMilliseconds],
  )
  return rows.length === 1
}

/** Those of these payments that their owners gave up. */
export async function givenUpAmong(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<ReadonlySet<PaymentId>> {
  if (paymentIds.length === 0) return new Set()
  const rows = await tx.query<{ id: PaymentId }>(
    'built_given_up',
    'select id from payments where id = any($1) and abandoned_at is not null',
    [paymentIds],
  )
  return new Set(rows.map((row) => row.id))
}

/** The payment that was built with a commitment, whichever account had it built. */
export async function builtWith(
  tx: Tx,
  network: NetworkId,
  commitment: Uint8Array,
): Promise<Payment | undefined> {
  const rows = await tx.query<PaymentRow>(
    'built_with',
    `select ${PAYMENT_COLUMNS} from payments
     where commitment = $2 and network = $1 and self_custody and type = 'sent'`,
    [network, Buffer.from(commitment)],
  )
  return rows[0] && paymentOf(rows[0])
}
