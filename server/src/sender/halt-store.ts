import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'

/** Stops a network until an operator has looked. */
export async function haltNetwork(tx: Tx, network: NetworkId, reason: string): Promise<void> {
  await tx.query(
    'follower_halt',
    `update followers set halted_reason = coalesce(halted_reason, $2) where network = $1`,
    [network, reason],
  )
}

/** Lets a halted network go on. What contradicts its final blocks halts it again at the next look. False: it was not halted. */
export async function unhaltNetwork(tx: Tx, network: NetworkId): Promise<boolean> {
  const rows = await tx.query(
    'follower_unhalt',
    `update followers set halted_reason = null where network = $1 and halted_reason is not null returning network`,
    [network],
  )
  return rows.length === 1
}

/** How far each network has been read and why it is stopped. */
export interface FollowerStanding {
  readonly height: bigint | null
  readonly finalizedHeight: bigint
  readonly haltedReason: string | null
}

/** By network; those that nobody has begun to read are missing. */
export async function followerStandings(tx: Tx): Promise<ReadonlyMap<string, FollowerStanding>> {
  const rows = await tx.query<{
    network: string
    height: string | null
    finalized_height: string
    halted_reason: string | null
  }>('follower_standings', 'select network, height, finalized_height, halted_reason from followers')
  return new Map(
    rows.map((row) => [
      row.network,
      {
        height: row.height === null ? null : BigInt(row.height),
        finalizedHeight: BigInt(row.finalized_height),
        haltedReason: row.halted_reason,
      },
    ]),
  )
}
