import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** The nonce lane of one signing address on one network, locked until the transaction ends. */
export interface Lane {
  readonly network: NetworkId
  readonly address: Address
  readonly nextNonce: bigint
  readonly frozenReason: string | null
  /** Chain balances read below this height may miss what the ledger has already posted. */
  readonly balanceFloorHeight: bigint
}

interface LaneRow {
  readonly next_nonce: string
  readonly frozen_reason: string | null
  readonly balance_floor_height: string
}

/**
 * Takes the row lock of a lane; the first lock of every signing transaction. A lane that does not exist yet
 * begins at `firstNonce`, what the chain has used up of this address.
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
       returning next_nonce, frozen_reason, balance_floor_height`,
      [network, address, firstNonce.toString()],
    ))
  const row = rows[0] ?? (await readLocked(tx, network, address))?.[0]
  if (row === undefined) throw new Error('a lane was neither created nor found')
  return {
    network,
    address,
    nextNonce: BigInt(row.next_nonce),
    frozenReason: row.frozen_reason,
    balanceFloorHeight: BigInt(row.balance_floor_height),
  }
}

async function readLocked(
  tx: Tx,
  network: NetworkId,
  address: Address,
): Promise<LaneRow[] | undefined> {
  const rows = await tx.query<LaneRow>(
    'lane_lock',
    `select next_nonce, frozen_reason, balance_floor_height from lanes
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

/** Balances below the highest of these heights are stale from now on. */
export async function raiseBalanceFloor(
  tx: Tx,
  network: NetworkId,
  floors: ReadonlyMap<Address, bigint>,
): Promise<void> {
  if (floors.size === 0) return
  const addresses = [...floors.keys()].sort()
  await tx.query(
    'lane_floor',
    `update lanes l set balance_floor_height = greatest(balance_floor_height, f.height)
     from unnest($2::text[], $3::bigint[]) as f (address, height)
     where l.network = $1 and l.address = f.address`,
    [network, addresses, addresses.map((address) => (floors.get(address) ?? 0n).toString())],
  )
}
