import type { Address, Chain } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Clock } from '../kernel/clock.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import type { Log } from '../kernel/log.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Broadcaster } from './broadcast.ts'
import { lockLane } from './lane-store.ts'
import type { StoredAttempt } from './transaction-store.ts'
import { storeNextAttempt } from './transaction-store.ts'

export interface NextAttemptDeps {
  readonly chain: Chain
  readonly store: Store
  readonly broadcaster: Broadcaster
  readonly clock: Clock
  readonly log: Log
  readonly killPoint: (point: KillPoint) => void
  /** The key of a lane, erased by whoever asked; undefined when this installation does not hold it any more. */
  readonly signerOf: (address: Address) => Promise<OpenSigner | undefined>
}

/** What both kinds of renewal know of the attempt that they follow up. */
export type Renewed = Omit<StoredAttempt, 'raw' | 'wasSent'> & { readonly raw?: Uint8Array }

/**
 * Signs, stores and then sends the next attempt of a place: same effect, under the lane's lock, only while the place is open and
 * `allowed` says so inside that same transaction.
 */
export async function makeNextAttempt(
  deps: NextAttemptDeps,
  attempt: Renewed,
  points: Points,
  allowed?: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  try {
    await tryNextAttempt(deps, attempt, points, allowed)
  } catch (error) {
    // One place that cannot be renewed must not keep the others waiting; it is looked at again in its turn.
    const { network } = deps.chain.config
    const { hash, requestId } = attempt
    deps.log.warn({ network, hash, requestId, reason: error }, 'not renewed')
  }
}

interface Points {
  readonly beforeCommit: KillPoint
  readonly afterCommit: KillPoint
}

async function tryNextAttempt(
  { chain, store, broadcaster, clock, log, killPoint, signerOf }: NextAttemptDeps,
  attempt: Renewed,
  points: Points,
  allowed: (tx: Tx) => Promise<boolean> = async () => true,
): Promise<void> {
  const { network } = chain.config
  const { hash, requestId } = attempt
  const terms = await chain.renew(attempt.terms, attempt.feeCeiling, attempt.raw)
  if (terms === undefined) {
    log.warn({ network, hash, requestId }, 'a place waits and its fee ceiling leaves no room')
    return
  }
  // Before the transaction: a remote key wrapper takes its time, and no lock waits for it.
  const signer = await signerOf(attempt.laneAddress)
  if (signer === undefined) return
  try {
    const signed = await chain.sign(terms, attempt.nonce, signer)
    const stored = await store.inTransaction('service', async (tx) => {
      await lockLane(tx, network, attempt.laneAddress, attempt.nonce)
      if (!(await allowed(tx))) return false
      const next = { terms, signed }
      const kept = await storeNextAttempt(tx, attempt, next, network, clock.nowMilliseconds())
      killPoint(points.beforeCommit)
      return kept
    })
    if (!stored) return
    killPoint(points.afterCommit)
    log.info({ network, hash, next: signed.hash, requestId }, 'signed anew')
    await broadcaster.broadcast(network, [{ ...signed, requestId }])
  } finally {
    signer.erase()
  }
}
