import type { TransactionHash } from '../chains/chain.ts'
import type { ForeignSettlement } from '../chains/exact.ts'
import type { ReceivedState } from '../facilitator/records.ts'
import type { PaymentId } from '../kernel/id.ts'
import { followedHashOf } from '../sender/standing-sql.ts'
import type { Tx } from '../store/postgres.ts'

/** Where on chain the effect of a payment was seen last. */
export interface ReceivedPlace {
  readonly blockHash: string | null
  readonly block: ReceivedState['block']
  /** Whether a transfer of this block is its own already, seen there or not. */
  standsIn(blockHash: string): boolean
  /** Whether it is where a settlement says. */
  isAt(settlement: ForeignSettlement): boolean
}

export async function receivedPlace(tx: Tx, paymentId: PaymentId): Promise<ReceivedPlace> {
  const rows = await tx.query<{
    transaction_hash: TransactionHash | null
    block_height: string | null
    block_hash: string | null
    log_index: number | null
    stands_in: string | null
    followed_hash: string | null
  }>(
    'payment_received_place',
    `select transaction_hash, block_height, block_hash, log_index, stands_in,
       (${followedHashOf('p.network', 'p.block_height')}) as followed_hash
     from payments p where id = $1`,
    [paymentId],
  )
  const [row] = rows
  const [blockHash = null, followedHash = null] = [row?.block_hash, row?.followed_hash]
  return {
    blockHash,
    block: blockOf(blockHash, followedHash),
    standsIn: (seen) => blockHash === seen || row?.stands_in === seen,
    isAt: ({ hash, height, blockHash: seen, logIndex }) =>
      row?.transaction_hash === hash &&
      row.block_height === height.toString() &&
      blockHash === seen &&
      row.log_index === logIndex,
  }
}

/** What the block that was read says of the one in which an effect was seen. */
export function blockOf(hash: string | null, followed: string | null): ReceivedState['block'] {
  if (hash === null || followed === null) return 'unknown'
  return hash === followed ? 'followed' : 'replaced'
}
