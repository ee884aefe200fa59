import type { NetworkId } from '@florin/wire/network.ts'
import type { ForeignSettlement } from '../chains/exact.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** A claim's record that somebody else's transaction is said to have paid. */
export interface PaidClaim {
  readonly accountId: AccountId
  readonly paymentId: PaymentId
  readonly network: NetworkId
}

/**
 * Takes an effect of somebody else's transaction for one claim. False when it pays another claim, in this moment too: the primary key
 * decides. One that was taken for a claim which is not on chain any more is free again, and a claim has one effect at a time.
 */
export async function takeForeignEffect(
  tx: Tx,
  { accountId, paymentId, network }: PaidClaim,
  { hash, logIndex }: Pick<ForeignSettlement, 'hash' | 'logIndex'>,
): Promise<boolean> {
  const place = [network, hash, logIndex]
  await tx.query(
    'foreign_effect_leave',
    `delete from foreign_effects
     where payment_id = $4 and (network, transaction_hash, effect_index) is distinct from ($1, $2, $3::integer)`,
    [...place, paymentId],
  )
  const taken = await tx.query(
    'foreign_effect_take',
    `insert into foreign_effects (network, transaction_hash, effect_index, payment_id, account_id)
     values ($1, $2, $3, $4, $5) on conflict do nothing returning payment_id`,
    [...place, paymentId, accountId],
  )
  if (taken.length === 0) {
    // Locked first and read afterwards: whoever held it until now has said by then what became of it.
    const [held] = await tx.query<{ payment_id: PaymentId }>(
      'foreign_effect_lock',
      `select payment_id from foreign_effects
       where network = $1 and transaction_hash = $2 and effect_index = $3 for update`,
      place,
    )
    if (held === undefined) return false
    if (held.payment_id === paymentId) return true
    if (await isOnChain(tx, held.payment_id)) return false
    await tx.query(
      'foreign_effect_pass_on',
      `update foreign_effects set payment_id = $4, account_id = $5
       where network = $1 and transaction_hash = $2 and effect_index = $3`,
      [...place, paymentId, accountId],
    )
  }
  return !(await paysAnother(tx, { paymentId, network }, { hash, logIndex }))
}

async function isOnChain(tx: Tx, paymentId: PaymentId): Promise<boolean> {
  const rows = await tx.query(
    'foreign_effect_holder',
    `select 1 from payments where id = $1 and status in ('confirmed', 'settled')`,
    [paymentId],
  )
  return rows.length > 0
}

/** A transaction of ours pays a claim without a row here. A deposit is no claim: that a wallet saw money come tells nobody of a success. */
async function paysAnother(
  tx: Tx,
  { paymentId, network }: Pick<PaidClaim, 'paymentId' | 'network'>,
  { hash, logIndex }: Pick<ForeignSettlement, 'hash' | 'logIndex'>,
): Promise<boolean> {
  const rows = await tx.query(
    'foreign_effect_pays',
    `select 1 from payments
     where transaction_hash = $2 and network = $1 and log_index = $3 and type = 'received' and occurrence is null
       and status in ('confirmed', 'settled') and id <> $4 limit 1`,
    [network, hash, logIndex, paymentId],
  )
  return rows.length > 0
}
