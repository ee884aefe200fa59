import type { DeadReason } from '../sender/built-records.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { endedLifetimes } from '../chains/ended-lifetimes.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Store } from '../store/postgres.ts'

import { withinReach } from '../sender/follower-store.ts'
import { closeBuilds, noteDead, takeSilentBuilds } from './live-store.ts'
import type { SilentBuild } from './live-store.ts'
import { silentHashes } from './submission-store.ts'

export interface WatchBuildsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly received: Pick<ReceivedRecords, 'decided'>
}

/**
 * Looks at builds past their time of which no block has shown anything, and notes those that can take no effect any more. That only
 * counts once the follower's own chain is final up to the very block that the word is about: whatever could have been included is in a
 * block that was read by then. A look that fails says nothing.
 */
export async function watchBuilds(
  { store, clock, received }: WatchBuildsDeps,
  chain: Chain,
  stopping?: AbortSignal,
): Promise<void> {
  const { network } = chain.config
  if (chain.selfCustody === undefined || stopping?.aborted === true) return
  const now = clock.nowMilliseconds()
  const silent = await store.inTransaction('service', async (tx) => {
    const taken = await takeSilentBuilds(tx, network, now, limits.silentBuildsMax)
    const settlements = taken.filter(({ isSettlement }) => isSettlement)
    if (settlements.length === 0) return taken
    // Somebody else may have settled it, or it can be settled no more: nothing is left to look for.
    const ids = settlements.map(({ paymentId }) => paymentId)
    const { over } = await received.decided(tx, ids)
    await closeBuilds(tx, [...over], now)
    return taken.filter(({ paymentId }) => !over.has(paymentId))
  })
  if (silent.length === 0) return
  const dead = [
    ...(await usedNonces(chain, silent, stopping)),
    ...(await lifetimesOver({ store }, chain, silent)),
  ]
  if (dead.length === 0) return
  await store.inTransaction('service', async (tx) => {
    await noteDead(tx, await withinReach(tx, network, dead))
  })
}

interface Dead {
  readonly paymentId: PaymentId
  readonly reason: DeadReason
  /** The final block up to which a node has told it: once our own chain is final up to there, whatever was included was read. */
  readonly height: bigint
}

/** Those whose nonce the sender has used up, finally: their own transaction would have been seen in its block. */
async function usedNonces(
  chain: Chain,
  silent: readonly SilentBuild[],
  stopping: AbortSignal | undefined,
): Promise<readonly Dead[]> {
  const placed = silent.filter(({ nonce }) => nonce !== null)
  const bySender = [...Map.groupBy(placed, ({ sender }): Address => sender)]
  if (stopping?.aborted === true) return []
  // In one turn of the loop, so that they share the questions to the node: anybody builds for as many wallets as there are.
  const positions = await Promise.all(bySender.map(([sender]) => chain.lanePosition(sender)))
  return bySender.flatMap(([, builds], index) => {
    const position = positions[index]
    if (position === undefined) return []
    const { finalized, finalizedHeight: height } = position
    return builds
      .filter(({ nonce }) => nonce !== null && nonce < finalized)
      .map(({ paymentId }) => ({
        paymentId,
        reason: 'nonce_used_by_another_transaction' as const,
        height,
      }))
  })
}

/** Those whose lifetime is over, and of which no node finds what a caller gave us to send. */
async function lifetimesOver(
  { store }: Pick<WatchBuildsDeps, 'store'>,
  { config, renewal, outcomes }: Chain,
  silent: readonly SilentBuild[],
): Promise<readonly Dead[]> {
  if (renewal.kind !== 'lifetime') return []
  const over = await endedLifetimes(
    renewal,
    silent.filter(({ nonce }) => nonce === null),
  )
  if (over.length === 0) return []
  const submitted = await store.inTransaction('service', (tx) =>
    silentHashes(
      tx,
      config.network,
      over.map(({ mortal: { paymentId } }) => paymentId),
    ),
  )
  const looks = await renewal.lookBack(submitted.map(({ hash }) => hash))
  const seen = submitted.filter((_, index) => {
    const each = looks[index] ?? []
    return each.length === 0 || each.some((look) => look.found)
  })
  // One that was included and failed cannot be included again.
  const became = seen.length === 0 ? [] : await outcomes(seen.map(({ hash }) => hash))
  const found = new Set(
    seen.flatMap(({ paymentId }, index) => {
      const outcome = became[index]
      return outcome?.state === 'mined' && !outcome.succeeded ? [] : [paymentId]
    }),
  )
  return over
    .filter(({ mortal: { paymentId } }) => !found.has(paymentId))
    .map(({ mortal: { paymentId }, height }) => ({ paymentId, reason: 'lifetime_over', height }))
}
