import { limits } from '../kernel/limits.ts'
import { foundPlaces } from './found-store.ts'
import type { NextAttemptDeps } from './next-attempt.ts'

/** When each place was last warned of, by this instance. A place that is over is forgotten. */
export type WarnedPlaces = Map<string, number>

/** Warns of places that a node found and that the follower still has not seen, of each at most once in a while. */
export async function warnOfFound(
  { chain, store, clock, log }: Pick<NextAttemptDeps, 'chain' | 'store' | 'clock' | 'log'>,
  warned: WarnedPlaces,
): Promise<void> {
  const { network } = chain.config
  const now = clock.nowMilliseconds()
  const places = await store.inTransaction('service', (tx) =>
    foundPlaces(tx, {
      network,
      beforeMilliseconds: now - limits.foundUnseenSeconds * 1000,
      count: limits.livingPlacesMax,
    }),
  )
  const standing = new Set(places.map(({ transactionId }) => transactionId))
  for (const id of warned.keys()) if (!standing.has(id)) warned.delete(id)
  for (const { transactionId, address, nonce, hash, nodes, sinceMilliseconds } of places) {
    const last = warned.get(transactionId)
    if (last !== undefined && now - last < limits.foundWarnedSeconds * 1000) continue
    warned.set(transactionId, now)
    const seconds = Math.floor((now - sinceMilliseconds) / 1000)
    const facts = { network, address, nonce: `${nonce}`, hash, node: nodes.join(' '), seconds }
    log.warn(facts, 'a node found these bytes in its history, no followed block has them: look')
  }
}
