import { NodeFailure } from '../chains/chain.ts'
import type { Chain } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { CommitUnknown, StoreUnavailable } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import type { PaymentBook } from './book.ts'
import { holdLease, LeaseLost } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'
import { markDead } from './place-store.ts'
import { freezeHeldUp } from './freeze-held-up.ts'
import type { HeldUpLanes } from './freeze-held-up.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { hashesOf, laneFronts } from './transaction-store.ts'
import type { StoredAttempt } from './transaction-store.ts'

/**
 * Places that looked taken by a stranger in the last round, each with the final block in whose state it first did: only the second look in a
 * row decides, and not before our own chain is final up to there.
 */
export type Suspects = Map<string, bigint>

interface GuardDeps {
  readonly chain: Chain
  readonly store: Store
  readonly book: PaymentBook
  readonly log: Log
}

const FOREIGN_USE = 'a transaction that this service did not make used a nonce of this wallet'
const PAUSE_MILLISECONDS_MIN = 2_000

/** How long to wait between two looks at lanes: 30 s on a real chain, less where blocks are quick. */
export function guardPause(blockTimeMilliseconds: number): number {
  return Math.min(
    limits.gapRecoverySeconds * 1000,
    Math.max(blockTimeMilliseconds * 20, PAUSE_MILLISECONDS_MIN),
  )
}

/**
 * Finds places whose nonce the chain's final state has passed although none of our bytes for it were mined: somebody else signs with
 * this key. One look decides nothing, since a node may have the count before it has the receipt: at the second in a row that found
 * all of our hashes absent, the lane is frozen and the payment fails. Of two nodes one may stand still and have no receipt at any look: so
 * the follower itself has to have read, as final, every block that the count is of. A look that failed is none, and takes nothing from the
 * others. What waits behind a nonce that was given back freezes its lane, too.
 */
export async function guardLanes(
  deps: GuardDeps,
  lease: Pick<Cursor, 'network' | 'fence' | 'finalizedHeight'>,
  suspects: Suspects,
  heldUp: HeldUpLanes = new Map(),
): Promise<void> {
  const { chain, store, log } = deps
  const { network } = lease
  const fronts = await store.inTransaction('service', (tx) =>
    laneFronts(tx, network, limits.laneFrontsMax, {
      places: suspects.keys(),
      lanes: heldUp.keys(),
    }),
  )
  const failed = new Map<string, NodeFailure>()
  /** Asked for in one turn of the loop, so that all share the questions to the node. */
  const together = async <Answer>(
    places: readonly StoredAttempt[],
    ask: (place: StoredAttempt) => Promise<Answer>,
  ): Promise<readonly (readonly [StoredAttempt, Answer])[]> => {
    const answers = await Promise.all(
      places.map(async (place) => {
        try {
          return [[place, await ask(place)] as const]
        } catch (error) {
          if (!(error instanceof NodeFailure)) throw error
          failed.set(place.transactionId, error)
          return []
        }
      }),
    )
    return answers.flat()
  }

  // Positions first, receipts after: a transaction of ours that counts in the position is then found.
  const positions = await together(fronts, ({ laneAddress }) => chain.lanePosition(laneAddress))
  const passed = positions.flatMap(([place, { finalized }]) =>
    finalized > place.nonce ? [place] : [],
  )
  const ids = passed.map(({ transactionId }) => transactionId)
  const hashes =
    ids.length === 0
      ? new Map<string, []>()
      : await store.inTransaction('service', (tx) => hashesOf(tx, ids))
  const outcomes = await together(passed, ({ transactionId }) =>
    chain.outcomes(hashes.get(transactionId) ?? []),
  )
  const absent = outcomes.flatMap(([place, found]) =>
    found.some(({ state }) => state === 'mined') ? [] : [place],
  )

  const lookedAt = new Map(
    positions.map(([{ transactionId }, { finalizedHeight }]) => [transactionId, finalizedHeight]),
  )
  const isTold = (since: bigint | undefined) =>
    since !== undefined && since <= lease.finalizedHeight
  const taken = absent.filter(({ transactionId }) => isTold(suspects.get(transactionId)))
  const stillFailed = [...suspects].filter(([id]) => failed.has(id))
  const stillAbsent = absent.flatMap(({ transactionId }) => {
    const since = suspects.get(transactionId) ?? lookedAt.get(transactionId)
    return since === undefined ? [] : [[transactionId, since] as const]
  })
  suspects.clear()
  for (const [id, since] of [...stillAbsent, ...stillFailed]) suspects.set(id, since)

  const [reason] = failed.values()
  if (reason !== undefined) {
    log.warn({ network, count: failed.size, reason }, 'lanes were not looked at')
  }
  for (const place of taken) await freeze(deps, lease, place)
  const looks = positions.map(([{ laneAddress, nonce }, position]) => ({
    ...{ address: laneAddress, frontNonce: nonce, position },
  }))
  await freezeHeldUp(deps, lease, looks, heldUp)
}

/** What is said of all of them: the lease, or the database, which may have stored it all the same. */
function isOfAll(error: unknown): boolean {
  return (
    error instanceof StoreUnavailable ||
    error instanceof CommitUnknown ||
    error instanceof LeaseLost
  )
}

async function freeze(
  { store, book, log }: GuardDeps,
  lease: Pick<Cursor, 'network' | 'fence'>,
  { transactionId, laneAddress, nonce, requestId }: StoredAttempt,
): Promise<void> {
  const { network } = lease
  const facts = { network, address: laneAddress, nonce: String(nonce), requestId }
  try {
    const isTaken = await store.inTransaction('service', async (tx) => {
      await holdLease(tx, lease)
      await lockLane(tx, network, laneAddress, nonce)
      const paymentIds = await markDead(tx, transactionId)
      // A block has shown it since.
      if (paymentIds === undefined) return false
      await freezeLane(tx, network, laneAddress, FOREIGN_USE)
      if (paymentIds.length > 0) {
        await book.dead(tx, [{ network, reason: 'nonce_used_by_another_transaction', paymentIds }])
      }
      return true
    })
    if (!isTaken) return
    log.error(facts, 'a transaction that is not ours took a nonce of this key: lane frozen')
  } catch (error) {
    if (isOfAll(error)) throw error
    log.error({ ...facts, err: error }, 'a lane was not frozen')
  }
}
