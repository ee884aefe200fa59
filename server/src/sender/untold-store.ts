import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** Who found what a followed block holds and no node told: what was found is never taken for dead, and the doctor names it. */
const FINDER = 'a followed block, untold'

/** A transaction of ours in a followed block of which no node told what it moved. */
export interface UntoldPlace {
  readonly hash: TransactionHash
  readonly height: bigint
  /** The time of its block. */
  readonly sinceMilliseconds: number
}

/** Remembers them in the transaction that moves the cursor past their block. */
export async function noteUntold(
  tx: Tx,
  network: NetworkId,
  places: readonly UntoldPlace[],
): Promise<void> {
  if (places.length === 0) return
  await tx.query(
    'untold_note',
    `insert into expiry_looks (attempt_id, node, finalized_height, found, looked_at)
     select a.id, $2, u.height, true, to_timestamp(u.since / 1000.0)
     from unnest($3::text[], $4::bigint[], $5::bigint[]) as u (hash, height, since)
     join attempts a on a.network = $1 and a.hash = u.hash
     on conflict do nothing`,
    [
      network,
      FINDER,
      places.map(({ hash }) => hash),
      places.map(({ height }) => height.toString()),
      places.map(({ sinceMilliseconds }) => Math.floor(sinceMilliseconds)),
    ],
  )
}

/**
 * The payments of a lane that blocks hold, and at which height, as far as no node has told what they moved. A balance of that height may show what
 * they brought.
 */
export async function untoldPayments(
  tx: Tx,
  { network, address }: { readonly network: NetworkId; readonly address: string },
): Promise<readonly { readonly paymentId: PaymentId; readonly height: bigint }[]> {
  const rows = await tx.query<{ payment_id: PaymentId; height: string }>(
    'untold_payments',
    `select pt.payment_id, min(l.finalized_height) as height from chain_transactions t
     join attempts a on a.chain_transaction_id = t.id
     join expiry_looks l on l.attempt_id = a.id and l.node = $3
     join payment_transactions pt on pt.chain_transaction_id = t.id
     where t.network = $1 and t.lane_address = $2 and t.state = 'open' group by pt.payment_id`,
    [network, address, FINDER],
  )
  return rows.map((row) => ({ paymentId: row.payment_id, height: BigInt(row.height) }))
}

/** Those that are still open, the oldest first. */
export async function untoldHashes(
  tx: Tx,
  network: NetworkId,
  count: number,
): Promise<readonly TransactionHash[]> {
  const rows = await tx.query<{ hash: TransactionHash }>(
    'untold_open',
    `select a.hash from chain_transactions t
     join attempts a on a.chain_transaction_id = t.id
     join expiry_looks l on l.attempt_id = a.id and l.node = $2
     where t.network = $1 and t.state = 'open'
     group by a.id order by min(l.looked_at), a.id limit $3`,
    [network, FINDER, count],
  )
  return rows.map(({ hash }) => hash)
}
