import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { AccountId, PaymentId, TradeId, WalletId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { Payment, PaymentFailure, PaymentRemark, PaymentStatus } from './payment.ts'
import { statusesBefore } from './payment.ts'

/** A row of `payments` as PAYMENT_COLUMNS selects it. */
export interface PaymentRow {
  readonly id: PaymentId
  readonly account_id: AccountId
  readonly type: 'sent' | 'received'
  readonly wallet_id: WalletId | null
  readonly network: NetworkId
  readonly asset: string
  readonly amount: string
  readonly decimals: number
  readonly sender: Address
  readonly recipient: Address
  readonly resource: string | null
  readonly metadata: string | null
  readonly priority_fee: string | null
  readonly fee_ceiling: string | null
  readonly commitment: Buffer | null
  readonly status: PaymentStatus
  readonly sandbox: boolean
  readonly finality_violated: boolean
  readonly transaction_hash: TransactionHash | null
  readonly block_height: string | null
  readonly log_index: number | null
  readonly fee_paid: string | null
  readonly failure: PaymentFailure | null
  readonly created_at: Date
  readonly confirmed_at: Date | null
  readonly settled_at: Date | null
  /** When it failed or expired; null where it expired under an earlier release. */
  readonly failed_at: Date | null
  readonly self_custody: boolean
  readonly abandoned_at: Date | null
  readonly remark: PaymentRemark | null
  readonly trade_id: TradeId | null
}

/** Every column that a payment is made of. */
export const PAYMENT_COLUMNS = `id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, resource,
  metadata::text as metadata, priority_fee, fee_ceiling, commitment, status, sandbox, finality_violated,
  transaction_hash, block_height, log_index, fee_paid, failure, created_at, confirmed_at, settled_at, failed_at,
  self_custody, abandoned_at, remark, trade_id`

/** The payment of a row. */
export function paymentOf(row: PaymentRow): Payment {
  const units = (text: string | null): BaseUnits | null => (text === null ? null : baseUnits(text))
  return {
    id: row.id,
    accountId: row.account_id,
    type: row.type,
    walletId: row.wallet_id,
    network: row.network,
    asset: row.asset,
    amount: baseUnits(row.amount),
    decimals: row.decimals,
    sender: row.sender,
    recipient: row.recipient,
    resource: row.resource,
    metadataText: row.metadata,
    priorityFee: units(row.priority_fee),
    feeCeiling: units(row.fee_ceiling),
    commitment: row.commitment === null ? null : new Uint8Array(row.commitment),
    status: row.status,
    sandbox: row.sandbox,
    finalityViolated: row.finality_violated,
    transactionHash: row.transaction_hash,
    blockHeight: row.block_height === null ? null : BigInt(row.block_height),
    logIndex: row.log_index,
    feePaid: units(row.fee_paid),
    failure: row.failure,
    createdAtMilliseconds: row.created_at.getTime(),
    confirmedAtMilliseconds: row.confirmed_at?.getTime() ?? null,
    settledAtMilliseconds: row.settled_at?.getTime() ?? null,
    ...(row.failed_at === null ? {} : { endedAtMilliseconds: row.failed_at.getTime() }),
    ...(row.trade_id === null ? {} : { tradeId: row.trade_id }),
    ...(row.remark === null ? {} : { remark: row.remark }),
    ...(row.self_custody
      ? { selfCustody: { abandonedAtMilliseconds: row.abandoned_at?.getTime() ?? null } }
      : {}),
  }
}

/** One payment of the account, or undefined: somebody else's looks like none. */
export async function findPayment(
  tx: Tx,
  accountId: AccountId,
  paymentId: PaymentId,
): Promise<Payment | undefined> {
  const rows = await tx.query<PaymentRow>(
    'payment_find',
    `select ${PAYMENT_COLUMNS} from payments where account_id = $1 and id = $2`,
    [accountId, paymentId],
  )
  return rows[0] === undefined ? undefined : paymentOf(rows[0])
}

/** The given payments, locked in one order, whatever account they belong to: for the sender's own transactions. */
export async function lockPayments(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<readonly Payment[]> {
  const rows = await tx.query<PaymentRow>(
    'payments_lock',
    `select ${PAYMENT_COLUMNS} from payments where id = any($1) order by id for no key update`,
    [paymentIds],
  )
  return rows.map(paymentOf)
}

/** A payment to be stored as pending. Of what was seen on chain, only a deposit's transaction is stored with it. */
export interface NewPayment extends Payment {
  /** Of a deposit: which of the equal transfers of its transaction it is. */
  readonly occurrence?: number
}

/**
 * Stores new payments, one statement whatever the count. The database counts them for their addresses in the same
 * statement, so no other way of inserting can forget to.
 */
export async function insertPayments(tx: Tx, payments: readonly NewPayment[]): Promise<void> {
  if (payments.length === 0) return
  await tx.query(
    'payments_insert',
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, resource,
       metadata, priority_fee, fee_ceiling, commitment, status, sandbox, transaction_hash, occurrence, self_custody, trade_id, created_at)
     select id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, resource,
       metadata::json, priority_fee, fee_ceiling, decode(commitment, 'hex'), status, sandbox,
       transaction_hash, occurrence, self_custody, trade_id, to_timestamp(created_at / 1000.0)
     from json_to_recordset($1::json) as p (id text, account_id text, type text, wallet_id text, network text,
       asset text, amount numeric, decimals smallint, sender text, recipient text, resource text, metadata text,
       priority_fee numeric, fee_ceiling numeric, commitment text, status text, sandbox boolean,
       transaction_hash text, occurrence integer, self_custody boolean, trade_id text, created_at numeric)`,
    [
      JSON.stringify(
        payments.map((payment) => ({
          id: payment.id,
          account_id: payment.accountId,
          type: payment.type,
          wallet_id: payment.walletId,
          network: payment.network,
          asset: payment.asset,
          amount: payment.amount.toString(),
          decimals: payment.decimals,
          sender: payment.sender,
          recipient: payment.recipient,
          resource: payment.resource,
          metadata: payment.metadataText,
          priority_fee: payment.priorityFee?.toString() ?? null,
          fee_ceiling: payment.feeCeiling?.toString() ?? null,
          commitment:
            payment.commitment === null ? null : Buffer.from(payment.commitment).toString('hex'),
          status: payment.status,
          sandbox: payment.sandbox,
          transaction_hash: payment.transactionHash,
          occurrence: payment.occurrence ?? null,
          self_custody: payment.selfCustody !== undefined,
          trade_id: payment.tradeId ?? null,
          created_at: payment.createdAtMilliseconds,
        })),
      ),
    ],
  )
}

/** A change of one payment's status with what was seen on chain. Null facts clear what a reorg made untrue. */
export interface StatusChange {
  readonly paymentId: PaymentId
  readonly transactionHash: TransactionHash | null
  readonly blockHeight: bigint | null
  readonly blockHash: string | null
  readonly logIndex: number | null
  readonly feePaid: BaseUnits | null
  readonly failure: PaymentFailure | null
}

/**
 * Moves payments to a status, only from one that may lead there; those that really moved. The check is the database's, so that two instances
 * cannot move one payment twice.
 */
export async function changeStatus(
  tx: Tx,
  status: PaymentStatus,
  changes: readonly StatusChange[],
  nowMilliseconds: number,
): Promise<ReadonlySet<PaymentId>> {
  if (changes.length === 0) return new Set()
  const rows = await tx.query<{ id: PaymentId }>(
    'payments_change_status',
    // The status stands in `coalesce` so that payments are found by their ids: by an index of all that are open, each of them was compared
    // with each change, a million times for a thousand. And the ids stand beside the changes because a plan that was made while the table was
    // small goes through all of it for a join: 8 ms for 30 of 1,000. Ids alone come back: whole rows took 15 us more for each payment.
    `update payments p set status = $2, transaction_hash = c.transaction_hash, block_height = c.block_height,
       block_hash = c.block_hash, log_index = c.log_index, fee_paid = c.fee_paid, failure = c.failure,
       confirmed_at = case when $2 = 'confirmed' then to_timestamp($4 / 1000.0)
         when $2 = 'pending' then null else p.confirmed_at end,
       settled_at = case when $2 = 'settled' then to_timestamp($4 / 1000.0) end,
       failed_at = case when $2 in ('failed', 'expired') then to_timestamp($4 / 1000.0) end,
       remark = case when $2 <> 'pending' then p.remark end
     from json_to_recordset($1::json) as c (id text, transaction_hash text, block_height bigint, block_hash text,
       log_index integer, fee_paid numeric, failure json)
     where p.id = any($5) and p.id = c.id and coalesce(p.status = any($3), false)
     returning p.id`,
    [
      JSON.stringify(
        changes.map((change) => ({
          id: change.paymentId,
          transaction_hash: change.transactionHash,
          block_height: change.blockHeight?.toString() ?? null,
          block_hash: change.blockHash,
          log_index: change.logIndex,
          fee_paid: change.feePaid?.toString() ?? null,
          failure: change.failure,
        })),
      ),
      status,
      statusesBefore(status),
      nowMilliseconds,
      changes.map(({ paymentId }) => paymentId),
    ],
  )
  return new Set(rows.map(({ id }) => id))
}

/** What `changeStatus` has made of a payment that it moved. */
export function afterChange(
  payment: Payment,
  status: PaymentStatus,
  change: StatusChange,
  nowMilliseconds: number,
): Payment {
  const confirmedAtMilliseconds = {
    pending: null,
    confirmed: nowMilliseconds,
    settled: payment.confirmedAtMilliseconds,
    failed: payment.confirmedAtMilliseconds,
    expired: payment.confirmedAtMilliseconds,
  }[status]
  const { transactionHash, blockHeight, logIndex, feePaid, failure } = change
  const { remark, ...standing } = payment
  return {
    ...standing,
    ...(remark === undefined || status === 'pending' ? {} : { remark }),
    ...{ status, transactionHash, blockHeight, logIndex, feePaid, failure },
    confirmedAtMilliseconds,
    settledAtMilliseconds: status === 'settled' ? nowMilliseconds : null,
    ...(status === 'failed' || status === 'expired'
      ? { endedAtMilliseconds: nowMilliseconds }
      : {}),
  }
}

/** A chain effect that was counted for a payment. */
export interface CountedEffect {
  readonly network: NetworkId
  readonly transactionHash: TransactionHash
  /** The log's or instruction's index; for a payment that has none, 0 when it was sent and NATIVE_EFFECT_INDEX when it came in. */
  readonly effectIndex: number
  readonly direction: 'sent' | 'received'
  readonly paymentId: PaymentId
  readonly accountId: AccountId
}

/**
 * Claims final chain effects for payments, each once, whatever the scheme. What somebody received stays with the record that has claimed it
 * first: two records of one effect are for the doctor to name, and must not stop a follower. Of what was sent from here there can only
 * be one. Gives the payments whose effect that was sent is another one's already: they must not be settled, and stop nobody else's finality.
 */
export async function claimEffects(
  tx: Tx,
  effects: readonly CountedEffect[],
  nowMilliseconds: number,
): Promise<ReadonlySet<PaymentId>> {
  if (effects.length === 0) return new Set()
  const claimed = await tx.query<{ payment_id: PaymentId }>(
    'effects_claim',
    `insert into effects (network, transaction_hash, effect_index, direction, payment_id, account_id, created_at)
     select network, hash, effect_index, direction, payment_id, account_id, to_timestamp($2 / 1000.0)
     from json_to_recordset($1::json) as e (network text, hash text, effect_index integer, direction text,
       payment_id text, account_id text)
     on conflict (network, transaction_hash, effect_index, direction) do nothing returning payment_id`,
    [
      JSON.stringify(
        effects.map((effect) => ({
          network: effect.network,
          hash: effect.transactionHash,
          effect_index: effect.effectIndex,
          direction: effect.direction,
          payment_id: effect.paymentId,
          account_id: effect.accountId,
        })),
      ),
      nowMilliseconds,
    ],
  )
  const own = new Set(claimed.map((row) => row.payment_id))
  const lost = effects.filter(
    ({ direction, paymentId }) => direction === 'sent' && !own.has(paymentId),
  )
  return new Set(lost.map(({ paymentId }) => paymentId))
}

/** Those payments among these whose effect another payment names that was sent by a transaction of ours: its own bytes say so. */
export async function effectsOfOthers(
  tx: Tx,
  network: NetworkId,
  found: readonly {
    readonly paymentId: PaymentId
    readonly hash: TransactionHash
    readonly logIndex: number
  }[],
): Promise<ReadonlySet<PaymentId>> {
  if (found.length === 0) return new Set()
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'effects_of_others',
    `select f.payment_id from unnest($2::text[], $3::text[], $4::integer[]) as f (payment_id, hash, log_index)
     where exists (select from payments p where p.transaction_hash = f.hash and p.network = $1 and p.type = 'sent'
       and p.id <> f.payment_id and coalesce(p.log_index, 0) = f.log_index and p.status in ('confirmed', 'settled'))`,
    [
      network,
      found.map(({ paymentId }) => paymentId),
      found.map(({ hash }) => hash),
      found.map(({ logIndex }) => logIndex),
    ],
  )
  return new Set(rows.map((row) => row.payment_id))
}

/** Marks payments whose final block was reorganised away; their status stays what it was. */
export async function markFinalityViolated(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<void> {
  await tx.query(
    'payments_finality_violated',
    `update payments set finality_violated = true where id = any($1)`,
    [paymentIds],
  )
}
