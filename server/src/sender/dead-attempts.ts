import type { Renewal } from '../chains/chain.ts'
import type { LivingAttempt } from './expiry-store.ts'
import type { FollowDeps } from './follow.ts'
import type { Cursor } from './follower-store.ts'

/** How far the chain was read, and up to where as final. */
export type ReadChain = Pick<Cursor, 'height' | 'finalizedHeight'>

interface Heard {
  /** What was read when this instance first met the attempt: what it builds on stands at or below there, give or take a block. */
  readonly sinceHeight: bigint
  /** No block above takes it, as every node that has a say says; undefined until then. */
  readonly deadFrom?: bigint
}

/** What this instance has heard of attempts that are still open, by attempt. What it forgets is asked again. */
export type DeadAttempts = Map<string, Heard>

/**
 * Asks every node about those that would be called dead, of each until all of them have said so once, and tells which are: those of which
 * every block that could hold them was read as final here.
 */
export async function askDead(
  { chain, log }: Pick<FollowDeps, 'chain' | 'log'>,
  { deadFrom }: Pick<Extract<Renewal, { kind: 'lifetime' }>, 'deadFrom'>,
  { height: readHeight, finalizedHeight }: ReadChain,
  heard: DeadAttempts,
  {
    living,
    silent,
  }: { readonly living: readonly LivingAttempt[]; readonly silent: readonly LivingAttempt[] },
): Promise<(attempt: LivingAttempt) => boolean> {
  const open = new Set(living.map(({ attemptId }) => attemptId))
  for (const id of heard.keys()) if (!open.has(id)) heard.delete(id)
  for (const id of open) if (!heard.has(id)) heard.set(id, { sinceHeight: readHeight })
  const asked = silent.flatMap(({ attemptId, raw }) => {
    const known = heard.get(attemptId)
    return known === undefined || known.deadFrom !== undefined ? [] : [{ ...known, attemptId, raw }]
  })
  const told = asked.length === 0 ? [] : await deadFrom(asked)
  let unsaid = 0
  asked.forEach(({ attemptId, sinceHeight }, index) => {
    const height = told[index]
    if (height === undefined) unsaid += 1
    // A final block above all that was read: one node may be wrong about its height, and that would be waited for without an end.
    else if (height <= readHeight) heard.set(attemptId, { sinceHeight, deadFrom: height })
  })
  if (unsaid > 0) {
    const facts = { network: chain.config.network, count: unsaid }
    log.warn(facts, 'transactions past their time wait until every node calls them over')
  }
  return ({ attemptId }) => {
    const height = heard.get(attemptId)?.deadFrom
    return height !== undefined && height <= finalizedHeight
  }
}
