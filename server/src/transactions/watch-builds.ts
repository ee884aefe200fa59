import type { Address, Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Store } from '../store/postgres.ts'
import type { DeadReason } from './build.ts'
import { noteDead, takeSilentBuilds } from './live-store.ts'
import type { SilentBuild } from './live-store.ts'
import { silentHashes } from './submission-store.ts'

export interface WatchBuildsDeps {
  readonly store: Store
  readonly clock: Clock
}

/**
 * Looks at builds past their time of which no block has shown anything, and notes those that can take no effect any more. That only
 * counts once the follower's own chain is final up to a head that a node named afterwards: whatever could have been included is in a block
 * that was read by then. A look that fails says nothing.
 */
export async function watchBuilds(
  { store, clock }: WatchBuildsDeps,
  chain: Chain,
  stopping?: AbortSignal,
): Promise<void> {
  const { network } = chain.config
  if (chain.selfCustody === undefined || stopping?.aborted === true) return
  const silent = await store.inTransaction('service', (tx) =>
    takeSilentBuilds(tx, network, clock.nowMilliseconds(), limits.silentBuildsMax),
  )
  if (silent.length === 0) return
  const dead = [
    ...(await usedNonces(chain, silent, stopping)),
    ...(await lifetimesOver({ store }, chain, silent)),
  ]
  if (dead.length === 0) return
  const { height } = await chain.head()
  await store.inTransaction('service', (tx) =>
    noteDead(
      tx,
      dead.map((each) => ({ ...each, height })),
    ),
  )
}

type Dead = { readonly paymentId: PaymentId; readonly reason: DeadReason }

/** Those whose nonce the sender has used up, finally: their own transaction would have been seen in its block. */
async function usedNonces(
  chain: Chain,
  silent: readonly SilentBuild[],
  stopping: AbortSignal | undefined,
): Promise<readonly Dead[]> {
  const placed = silent.filter(({ nonce }) => nonce !== null)
  const bySender = Map.groupBy(placed, ({ sender }): Address => sender)
  const dead: Dead[] = []
  for (const [sender, builds] of bySender) {
    if (stopping?.aborted === true) return dead
    const { finalized } = await chain.lanePosition(sender)
    for (const { paymentId, nonce } of builds) {
      if (nonce !== null && nonce < finalized) {
        dead.push({ paymentId, reason: 'nonce_used_by_another_transaction' })
      }
    }
  }
  return dead
}

/** Those whose lifetime every node that answers calls over, and of which none finds what a caller gave us to send. */
async function lifetimesOver(
  { store }: Pick<WatchBuildsDeps, 'store'>,
  { config, renewal }: Chain,
  silent: readonly SilentBuild[],
): Promise<readonly Dead[]> {
  const mortal = silent.filter(({ nonce }) => nonce === null)
  if (renewal.kind !== 'lifetime' || renewal.finalHeights === undefined || mortal.length === 0) {
    return []
  }
  const heights = await renewal.finalHeights()
  const over = mortal.filter(({ lastValidBlockHeight }) =>
    heights.every((height) => height > lastValidBlockHeight),
  )
  const submitted = await store.inTransaction('service', (tx) =>
    silentHashes(
      tx,
      config.network,
      over.map(({ paymentId }) => paymentId),
    ),
  )
  const looks = await renewal.lookBack(submitted.map(({ hash }) => hash))
  const found = new Set(
    submitted.flatMap(({ paymentId }, index) => {
      const each = looks[index] ?? []
      return each.length === 0 || each.some((look) => look.found) ? [paymentId] : []
    }),
  )
  return over
    .filter(({ paymentId }) => !found.has(paymentId))
    .map(({ paymentId }) => ({ paymentId, reason: 'lifetime_over' }))
}
