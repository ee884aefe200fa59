import type { Address } from '../chains/chain.ts'
import { eachInTurn } from '../kernel/each-in-turn.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import type { NextAttemptDeps } from './next-attempt.ts'
import { makeNextAttempt } from './next-attempt.ts'
import { laneFronts } from './transaction-store.ts'

const POINTS = { beforeCommit: 'bump.before-commit', afterCommit: 'bump.after-commit' } as const

/** Which attempt stands at the front of each lane, and since which height and when: what a restart may forget. */
export type Waiting = Map<
  Address,
  { transactionId: string; attemptId: string; sinceHeight: bigint; sinceMilliseconds: number }
>

/** Of the time that so many blocks are expected to take, what has to pass as well: a chain may make them ten times as quickly as it is said to. */
const EXPECTED_PART = 0.5

/**
 * Raises the fee of places that hold their lane up for too many blocks, and for half of their expected time at least: same nonce, same effect, within the ceiling that
 * the ledger holds. The raised bytes are stored before they are sent, like the first ones. Several at once, since a fee that rises holds all
 * lanes up together; none is begun any more when it `isOver`. Says whether enough blocks have come for one that waits for time alone: then another look
 * needs no new block, and on a chain that makes none while nothing gets in there would be none.
 */
export async function bumpStuck(
  deps: NextAttemptDeps,
  waiting: Waiting,
  height: bigint,
  isOver: () => boolean = () => false,
): Promise<boolean> {
  const { chain, store, clock } = deps
  const { network, fees, blockTimeMilliseconds } = chain.config
  const leastMilliseconds = fees.bumpAfterBlocks * blockTimeMilliseconds * EXPECTED_PART
  const now = clock.nowMilliseconds()
  const fronts = await store.inTransaction('service', (tx) =>
    laneFronts(tx, network, limits.laneFrontsMax, {
      places: [...waiting.values()].map(({ transactionId }) => transactionId),
    }),
  )
  const current = new Set(fronts.map(({ laneAddress }) => laneAddress))
  for (const address of waiting.keys()) if (!current.has(address)) waiting.delete(address)
  let isTimeAlone = false
  const stuck = fronts.filter(({ laneAddress, transactionId, attemptId }) => {
    const known = waiting.get(laneAddress)
    if (known?.attemptId === attemptId) {
      const { sinceHeight, sinceMilliseconds } = known
      if (height - sinceHeight < BigInt(fees.bumpAfterBlocks)) return false
      const isEarly = hasLeft(sinceMilliseconds + leastMilliseconds, now, leastMilliseconds)
      isTimeAlone ||= isEarly
      return !isEarly
    }
    const since = { sinceHeight: height, sinceMilliseconds: now }
    waiting.set(laneAddress, { transactionId, attemptId, ...since })
    return false
  })
  await eachInTurn(stuck, limits.renewalsAtOnceMax, isOver, async (front) => {
    await makeNextAttempt(deps, front, POINTS)
    waiting.delete(front.laneAddress)
  })
  return isTimeAlone
}
