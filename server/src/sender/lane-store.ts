import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** The nonce lane of one signing address on one network, locked until the transaction ends. */
export interface Lane {
  readonly network: NetworkId
  readonly address: Address
  readonly nextNonce: bigint
  readonly frozenReason: string | null
}

interface LaneRow {
  readonly next_nonce: string
  readonly frozen_reason: string | null
}

/**
 * Takes the row lock of a lane: the first lock of every transaction that spends from a wallet. One that settles locks its claim and its
 * budgets before. A lane that does not exist yet begins at `firstNonce`, what the chain has used up of this address.
 */
export async function lockLane(
  tx: Tx,
  network: NetworkId,
  address: Address,
  firstNonce: bigint,
): Promise<Lane> {
  const rows =
    (await readLocked(tx, network, address)) ??
    (await tx.query<LaneRow>(
      'lane_create',
      `insert into lanes (network, address, next_nonce) values ($1, $2, $3)
       on conflict (network, address) do nothing
       returning next_nonce, frozen_reason`,
      [network, address, firstNonce.toString()],
    ))
  const row = rows[0] ?? (await readLocked(tx, network, address))?.[0]
  if (row === undefined) throw new Error('a lane was neither created nor found')
  return {
    network,
    address,
    nextNonce: BigInt(row.next_nonce),
    frozenReason: row.frozen_reason,
  }
}

async function readLocked(
  tx: Tx,
  network: NetworkId,
  address: Address,
): Promise<LaneRow[] | undefined> {
  const rows = await tx.query<LaneRow>(
    'lane_lock',
    `select next_nonce, frozen_reason from lanes
     where network = $1 and address = $2 for update`,
    [network, address],
  )
  return rows.length > 0 ? rows : undefined
}

/** Moves a locked lane past the places that this transaction has just filled. */
export async function advanceLane(tx: Tx, lane: Lane, places: number): Promise<void> {
  await tx.query(
    'lane_advance',
    `update lanes set next_nonce = $3 where network = $1 and address = $2`,
    [lane.network, lane.address, (lane.nextNonce + BigInt(places)).toString()],
  )
}

/** Why a lane is stopped whose chain has used up more nonces than were given out here: somebody else signs with its key. */
export const CHAIN_AHEAD =
  'the chain has used more nonces of this wallet than this service has filled'

/** Stops a lane: nothing new is signed for it until an operator releases it. The first reason stays. */
export async function freezeLane(
  tx: Tx,
  network: NetworkId,
  address: Address,
  reason: string,
): Promise<void> {
  await tx.query(
    'lane_freeze',
    `update lanes set state = 'frozen', frozen_reason = $3
     where network = $1 and address = $2 and state = 'active'`,
    [network, address, reason],
  )
}

/** Those of the addresses whose lanes are stopped until an operator releases them. */
export async function frozenLanes(
  tx: Tx,
  network: NetworkId,
  addresses: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const rows = await tx.query<{ address: Address }>(
    'lanes_frozen',
    `select address from lanes where network = $1 and address = any($2) and frozen_reason is not null`,
    [network, addresses],
  )
  return new Set(rows.map(({ address }) => address))
}

/** The most that what is under way from a locked lane may still cost, native base units. */
export async function openCeilings(tx: Tx, { network, address }: Lane): Promise<bigint> {
  const rows = await tx.query<{ held: string }>(
    'lane_open_ceilings',
    `select coalesce(sum(fee_ceiling), 0) as held from chain_transactions
     where network = $1 and lane_address = $2 and state = 'open'`,
    [network, address],
  )
  return BigInt(rows[0]?.held ?? 0)
}

/** Takes the row locks of several lanes, always in one order: before anything that changes the ledger of their wallets. */
export async function lockLanes(
  tx: Tx,
  network: NetworkId,
  addresses: Iterable<Address>,
): Promise<void> {
  await tx.query(
    'lanes_lock',
    `select address from lanes where network = $1 and address = any($2) order by address for update`,
    [network, [...new Set(addresses)]],
  )
}

/**
 * How a lane stands whose key was used elsewhere. `none`: there is none; the first payment begins it where the chain is. `there`:
 * nobody used it since. `moved`: it goes on where the chain is. `busy`: places of it are open, so the guard decides. `frozen`: the
 * guard stopped it, and only an operator releases it.
 */
export type LaneState = 'none' | 'there' | 'moved' | 'busy' | 'frozen'

/**
 * Moves an idle lane past the places that its key has used up without this service, never back. Only when the key's owner says that
 * from now on it signs nowhere else, and all that it did is final (an import is refused otherwise): a place that the chain gave back nobody
 * would fill. Never on the way of a payment, where such a use is an alarm.
 */
export async function moveIdleLane(
  tx: Tx,
  network: NetworkId,
  address: Address,
  nextNonce: bigint,
): Promise<LaneState> {
  const [row] = (await readLocked(tx, network, address)) ?? []
  if (row === undefined) return 'none'
  if (row.frozen_reason !== null) return 'frozen'
  if (BigInt(row.next_nonce) >= nextNonce) return 'there'
  const moved = await tx.query(
    'lane_move_idle',
    `update lanes set next_nonce = $3 where network = $1 and address = $2 and not exists (
       select from chain_transactions
        where network = $1 and lane_address = $2 and state in ('open', 'mined'))
     returning next_nonce`,
    [network, address, nextNonce.toString()],
  )
  return moved.length === 1 ? 'moved' : 'busy'
}
