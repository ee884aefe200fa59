import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, SignedTransaction, Terms, TransactionHash } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'
import { storeNextAttempt } from './transaction-store.ts'

/** A place of ours that is over although the chain has its nonce free: the final block that decided it was replaced. */
export interface ClosedPlace {
  readonly transactionId: string
  readonly nonce: bigint
  /** Of its newest attempt. */
  readonly number: number
  readonly hashes: readonly TransactionHash[]
  /** Nothing that it carries has taken effect there, as everybody was told: whoever takes the nonce takes nothing from anybody. */
  readonly cameToNothing: boolean
  /** The blocks that were read here have it still, or one of ours behind it, or go further than who was asked: then that one does not know. */
  readonly isFollowed: boolean
  /** Nobody can say which blocks are the chain's. */
  readonly isHalted: boolean
}

/**
 * Such places of a lane, from the lowest nonce on, at most `count`. What waits behind one gets in no more. None by the word of a node that calls less
 * final than we do: it does not know what decided them. Of a halted network they are named, whoever tells it.
 */
export async function closedAboveChain(
  tx: Tx,
  network: NetworkId,
  address: Address,
  {
    usedUp,
    finalizedHeight,
    height,
  }: {
    readonly usedUp: bigint
    readonly finalizedHeight: bigint
    /** The block that it was asked at. */
    readonly height: bigint
  },
  count: number,
): Promise<readonly ClosedPlace[]> {
  const rows = await tx.query<{
    id: string
    nonce: string
    number: number
    hashes: TransactionHash[]
    came_to_nothing: boolean
    is_followed: boolean
    is_halted: boolean
  }>(
    'lane_closed_above_chain',
    `select t.id, t.nonce, f.halted_reason is not null as is_halted,
       coalesce((select max(number) from attempts where chain_transaction_id = t.id), 0) as number,
       array(select hash from attempts where chain_transaction_id = t.id order by number) as hashes,
       coalesce(t.state = 'dead' or not t.succeeded or (
         exists (select from payment_transactions where chain_transaction_id = t.id)
         and not exists (select from payment_transactions where chain_transaction_id = t.id and not without_effect)), false) as came_to_nothing,
       exists (select from followed_blocks b where b.network = t.network and b.height = t.mined_height and b.block_hash = t.mined_block_hash)
         or exists (select from chain_transactions later where later.network = t.network and later.lane_address = t.lane_address
           and later.nonce > t.nonce and later.state = 'mined')
         or f.height > $6::bigint as is_followed
     from chain_transactions t join followers f on f.network = t.network
     where t.network = $1 and t.lane_address = $2 and t.nonce >= $3::bigint and t.state in ('final', 'dead')
       and (f.halted_reason is not null or f.finalized_height <= $4::bigint)
     order by t.nonce limit $5`,
    [
      ...[network, address, usedUp.toString(), finalizedHeight.toString(), count],
      height.toString(),
    ],
  )
  return rows.map((row) => ({
    transactionId: row.id,
    nonce: BigInt(row.nonce),
    number: row.number,
    hashes: row.hashes,
    cameToNothing: row.came_to_nothing,
    isFollowed: row.is_followed,
    isHalted: row.is_halted,
  }))
}

/**
 * Opens a place that came to nothing once more, with bytes of nothing as its next attempt, under its lane's lock: whichever attempt gets in, the others never
 * do. What it carried stays as it was told, and nothing of it counts here any more. False: it is not closed, or its newest attempt is another one.
 */
export async function reopenWithNothing(
  tx: Tx,
  network: NetworkId,
  place: Pick<ClosedPlace, 'transactionId' | 'number'>,
  next: {
    readonly terms: Terms
    readonly signed: SignedTransaction
    readonly feeCeiling: BaseUnits
  },
  nowMilliseconds: number,
): Promise<boolean> {
  const reopened = await tx.query(
    'place_reopen_with_nothing',
    `with reopened as (
       update chain_transactions set state = 'open', mined_hash = null, mined_height = null, mined_block_hash = null,
         succeeded = null, fee_paid = null, before_payment = null, fee_ceiling = $3
       where id = $1 and state in ('final', 'dead')
         and $2 = coalesce((select max(number) from attempts where chain_transaction_id = $1), 0)
       returning id
     ), nothing as (
       update payment_transactions set without_effect = true where chain_transaction_id = any(array(select id from reopened))
     )
     select id from reopened`,
    [place.transactionId, place.number, next.feeCeiling.toString()],
  )
  if (reopened.length === 0) return false
  return await storeNextAttempt(tx, place, next, network, nowMilliseconds)
}

/** A lane whose front cannot get in, and the nonce below it that the chain has given back. */
export interface HeldUp {
  readonly address: Address
  readonly nonce: bigint
}

/** Those of the lanes that have a closed place of ours between what the chain has used up and their lowest open place. */
export async function lanesHeldUp(
  tx: Tx,
  network: NetworkId,
  fronts: readonly {
    readonly address: Address
    readonly usedUp: bigint
    readonly frontNonce: bigint
  }[],
): Promise<readonly HeldUp[]> {
  if (fronts.length === 0) return []
  const rows = await tx.query<{ address: Address; nonce: string }>(
    'lanes_held_up',
    `select front.address, min(t.nonce) as nonce
     from unnest($2::text[], $3::bigint[], $4::bigint[]) as front (address, used_up, nonce)
     join lanes l on l.network = $1 and l.address = front.address and l.state = 'active'
     join chain_transactions t on t.network = $1 and t.lane_address = front.address
       and t.nonce >= front.used_up and t.nonce < front.nonce and t.state in ('final', 'dead')
     where exists (select from chain_transactions where network = $1 and lane_address = front.address and nonce = front.nonce and state = 'open')
     group by front.address`,
    [
      network,
      fronts.map(({ address }) => address),
      fronts.map(({ usedUp }) => usedUp.toString()),
      fronts.map(({ frontNonce }) => frontNonce.toString()),
    ],
  )
  return rows.map(({ address, nonce }) => ({ address, nonce: BigInt(nonce) }))
}
