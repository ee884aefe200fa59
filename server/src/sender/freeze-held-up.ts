import type { Address, LanePosition } from '../chains/chain.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import { lanesHeldUp } from './closed-place-store.ts'
import { holdLease } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'
import { freezeLane, lockLane } from './lane-store.ts'

/** Lanes whose front did not get in at the last look, by what the chain has used up then: only a second look in a row that says the same freezes one. */
export type HeldUpLanes = Map<Address, bigint>

/**
 * Freezes lanes in which places of ours wait behind a nonce that the chain has free although a place of ours is over there: the final block that decided it
 * was replaced. What is signed behind it would wait, too, and only a release gets it in. Not by the word of a node that calls less final than we do: it does
 * not know what decided that place.
 */
export async function freezeHeldUp(
  { store, log }: { readonly store: Store; readonly log: Log },
  lease: Pick<Cursor, 'network' | 'fence' | 'finalizedHeight'>,
  looks: readonly {
    readonly address: Address
    readonly frontNonce: bigint
    readonly position: LanePosition
  }[],
  before: HeldUpLanes,
): Promise<void> {
  const { network } = lease
  const behind = looks.flatMap(({ address, frontNonce, position }) => {
    const { latest, finalized, finalizedHeight } = position
    const usedUp = latest > finalized ? latest : finalized
    return usedUp < frontNonce && finalizedHeight >= lease.finalizedHeight
      ? [{ address, frontNonce, usedUp }]
      : []
  })
  const twice = behind.filter(({ address, usedUp }) => before.get(address) === usedUp)
  before.clear()
  for (const { address, usedUp } of behind) before.set(address, usedUp)
  if (twice.length === 0) return
  const found = await store.inTransaction('service', (tx) => lanesHeldUp(tx, network, twice))
  for (const { address, nonce } of found) {
    const reason = `a replaced final block gave back nonce ${nonce} of this key, where a transaction of ours is over: what is behind it waits`
    const isFrozen = await store.inTransaction('service', async (tx) => {
      await holdLease(tx, lease)
      await lockLane(tx, network, address, nonce)
      const still = await lanesHeldUp(
        tx,
        network,
        twice.filter((each) => each.address === address),
      )
      if (still.length === 0) return false
      await freezeLane(tx, network, address, reason)
      return true
    })
    if (isFrozen) log.error({ network, address, nonce: String(nonce) }, reason)
  }
}
