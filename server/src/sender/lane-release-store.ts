import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** How a lane stands, for operators. */
export interface LaneStanding {
  readonly network: NetworkId
  readonly address: Address
  readonly nextNonce: bigint
  /** Transactions that no block has yet. */
  readonly open: number
  readonly frozenReason: string | null
}

interface Row {
  readonly network: NetworkId
  readonly address: Address
  readonly next_nonce: string
  readonly open: string
  readonly frozen_reason: string | null
}

const STANDING = `
  select l.network, l.address, l.next_nonce, l.frozen_reason,
    (select count(*) from chain_transactions t
     where t.network = l.network and t.lane_address = l.address and t.state = 'open') as open
  from lanes l`

function standingOf(row: Row): LaneStanding {
  return {
    network: row.network,
    address: row.address,
    nextNonce: BigInt(row.next_nonce),
    open: Number(row.open),
    frozenReason: row.frozen_reason,
  }
}

/** The lanes of these addresses on every network. */
export async function lanesOf(
  tx: Tx,
  addresses: readonly string[],
): Promise<readonly LaneStanding[]> {
  const rows = await tx.query<Row>('lanes_of', `${STANDING} where l.address = any($1)`, [addresses])
  return rows.map(standingOf)
}

/** Frozen lanes by network and address; `after` is the name of the last one seen, as `nameOf` gives it. */
export async function pageOfFrozenLanes(
  tx: Tx,
  { after, count }: { readonly after: string | undefined; readonly count: number },
): Promise<readonly LaneStanding[]> {
  const rows = await tx.query<Row>(
    'lanes_all_frozen',
    `${STANDING}
     where l.state = 'frozen' and ($1::text is null or l.network || ' ' || l.address > $1)
     order by l.network || ' ' || l.address limit $2`,
    [after ?? null, count],
  )
  return rows.map(standingOf)
}

/** What a page of frozen lanes is continued by. */
export function nameOf({ network, address }: Pick<LaneStanding, 'network' | 'address'>): string {
  return `${network} ${address}`
}

/**
 * What became of a release: the nonce that the lane goes on from, or why it stays as it is. `undecided`: a place of ours below what the chain has used up is open, and whether somebody took it is for the
 * guard to find at finality. `not_final`: somebody else filled a place there that could still be given back, and nobody would fill it then.
 * `unsure`: the lane may stand above the chain, and this look is none to bring it back by.
 */
export type Release = { readonly nextNonce: bigint } | 'undecided' | 'not_final' | 'unsure'

/**
 * Lets a locked lane sign again, from where the chain is or from where it stood, whichever is later. Our own places may lie between what is
 * final and what is used up: if a reorganisation drops one, it is sent again.
 *
 * A frozen lane that stands above the chain and above the last place of ours goes back to the higher of both: whatever became of a place, bytes are
 * never without one, and none is filled twice. Not by the word of a node that calls less final than we do: what it has not seen may be used up. It stays
 * frozen then: the first payment that is signed above the chain waits for ever, and with its place the lane goes back no more.
 */
export async function unfreezeLane(
  tx: Tx,
  network: NetworkId,
  address: Address,
  {
    usedUp,
    finalized,
    finalizedHeight,
  }: {
    /** Places that the chain has used up, and how many of them for good. */
    readonly usedUp: bigint
    readonly finalized: bigint
    /** The block up to which `finalized` is counted. */
    readonly finalizedHeight: bigint
  },
): Promise<Release> {
  const [below] = await tx.query<{ is_open: boolean; ours: string }>(
    'lane_places_below',
    `select
       exists (select from chain_transactions
         where network = $1 and lane_address = $2 and state = 'open' and nonce < $4::bigint) as is_open,
       (select count(*) from chain_transactions
         where network = $1 and lane_address = $2 and state in ('mined', 'final')
           and nonce >= $3::bigint and nonce < $4::bigint) as ours`,
    [network, address, finalized.toString(), usedUp.toString()],
  )
  if (below?.is_open !== false) return 'undecided'
  if (BigInt(below.ours) < usedUp - finalized) return 'not_final'
  const [released] = await tx.query<{ next_nonce: string }>(
    'lane_unfreeze',
    // "max": the end of an index, where "not exists" may go through every place of a lane that has many.
    `with standing as (
       select next_nonce as was, greatest($3::bigint, coalesce((select max(nonce) from chain_transactions
             where network = $1 and lane_address = $2), -1) + 1) as lowest,
         exists (select from followers
           where network = $1 and halted_reason is null and finalized_height <= $4::bigint) as is_sure
       from lanes where network = $1 and address = $2
     )
     update lanes set state = 'active', frozen_reason = null,
       next_nonce = case when state = 'frozen' then lowest else greatest(next_nonce, $3::bigint) end
     from standing where network = $1 and address = $2 and (is_sure or state <> 'frozen' or was <= lowest)
     returning next_nonce`,
    [network, address, usedUp.toString(), finalizedHeight.toString()],
  )
  return released === undefined ? 'unsure' : { nextNonce: BigInt(released.next_nonce) }
}

/** Nonces of a lane that keep out what waits behind them. */
export interface Gap {
  /** Nobody has used them, from the lowest on. */
  readonly missing: readonly bigint[]
  /** Whether this look may tell that: the network is not halted, and the node calls no less final than we do. Otherwise they may be used up. */
  readonly isSure: boolean
  /** What is under way in the lane may still take, native base units: no filling may spend it. */
  readonly awaited: bigint
}

/**
 * The nonces of a lane that nobody has used although open places of ours lie behind them, so that none of those gets in: the highest, at most `count`.
 * Not below a place that the chain has had, what it has passed over somebody has used; unless it has given that back as it has those up to `givenBack`.
 */
export async function gapOf(
  tx: Tx,
  network: NetworkId,
  address: Address,
  {
    usedUp,
    finalizedHeight,
    givenBack,
  }: {
    readonly usedUp: bigint
    readonly finalizedHeight: bigint
    readonly givenBack: bigint | undefined
  },
  count: number,
): Promise<Gap> {
  const [row] = await tx.query<{
    missing: string[]
    is_sure: boolean
    awaited: string
  }>(
    'lane_missing_places',
    `with places as (
       select id, nonce, state, fee_ceiling from chain_transactions where network = $1 and lane_address = $2 and nonce >= $3::bigint
     ), missing as (
       select nonce from generate_series(
         greatest($3::bigint, (select max(nonce) + 1 from places where state = 'mined' or (state <> 'open' and $6::bigint is null))),
         greatest((select max(nonce) from places where state = 'open'), $6::bigint)) as each (nonce)
       where not exists (select from places where places.nonce = each.nonce)
     )
     select array(select nonce::text from missing order by nonce desc limit $5) as missing,
       exists (select from followers
         where network = $1 and halted_reason is null and finalized_height <= $4::bigint) as is_sure,
       (select coalesce(sum(fee_ceiling), 0) from places where state = 'open')
         + (select coalesce(sum((terms ->> 'value')::numeric), 0) from places
            join attempts on chain_transaction_id = places.id and number = 1 where state = 'open') as awaited`,
    [
      ...[network, address, usedUp.toString(), finalizedHeight.toString(), count],
      givenBack?.toString() ?? null,
    ],
  )
  const missing = (row?.missing ?? []).map(BigInt).toReversed()
  return { missing, isSure: row?.is_sure === true, awaited: BigInt(row?.awaited ?? 0) }
}
