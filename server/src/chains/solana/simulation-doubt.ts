import { limits } from '../../kernel/limits.ts'
import type { ExactCheck } from '../exact.ts'
import { isObject } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { simulationProblemOf } from './failures.ts'
import { isOfTransaction } from './simulation-faults.ts'

/** Where the nodes of a network stand, as far as they have shown. */
export interface Standing {
  /** The highest slot that any of them has shown as confirmed. */
  readonly seenSlot: () => bigint
  readonly blockTimeMilliseconds: number
}

const NO_EFFECTS: ReadonlySet<number> = new Set()
/** The fee payer is the first account of every transaction. */
const FEE_PAYER = 0

/**
 * Why a failed simulation says nothing of the payment; undefined where it does. The fee payer is ours, and so is its shortage: the cluster
 * looks at that account before it runs anything. Some errors are about the cluster or its block alone. And a node that is behind does not know a young blockhash, nor money that has just come.
 * Made before the simulation is asked for; what it gives is asked with the `err` of the answer and the slot that the answer is of. Source:
 * Agave, `TransactionError`.
 */
export function openSimulationDoubt({
  seenSlot,
  blockTimeMilliseconds,
}: Standing): (error: string | Fields, slot: bigint) => ExactCheck | undefined {
  // On a chain that goes on, the next slot is often seen before the answer is there. That makes no node one that is behind.
  const seenBefore = seenSlot()
  const slotsMax = BigInt(
    Math.ceil((limits.shortageBehindSecondsMax * 1000) / blockTimeMilliseconds),
  )
  return (error, slot) => {
    if (isFeePayerShort(error)) {
      const what = 'The wallet that is to pay the fee cannot pay it now.'
      return { ...untold(what), isFeePayerShort: true }
    }
    if (!isOfTransaction(error)) {
      return untold('What the node says is not about the payment.')
    }
    const isBehind = error === 'BlockhashNotFound' && seenBefore > slot
    if (!isBehind && seenSlot() - slot <= slotsMax) return undefined
    return untold('The node that was asked is behind the chain.')
  }
}

function isFeePayerShort(error: unknown): boolean {
  if (!isObject(error)) return simulationProblemOf(error, NO_EFFECTS) === 'short'
  const rent = error['InsufficientFundsForRent']
  return isObject(rent) && rent['account_index'] === FEE_PAYER
}

function untold(what: string) {
  const message = `${what} Nothing was sent; ask again later.`
  return { ok: false, reason: 'network_unavailable', message } as const
}
