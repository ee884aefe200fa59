import { NodeFailure } from '../chain.ts'

/** A node has answered none of the calls of a request, since they are more than it takes at once. */
export class BatchRefused extends NodeFailure {}

/**
 * Whether a node says of a request of several calls that these are too many. The words differ, and all of them name the batch: "too many RPC calls in batch request" (the
 * proxy of OP Stack roll-ups, more than 10), "Batch of more than 3 requests are not allowed" (dRPC without a plan), "batch too large" (Geth), "batch limit 100 exceeded" (Erigon),
 * "Batched requests are not supported" (a Reth that is set up so). Some roll-ups call something else a batch, and a contract that reverts says
 * whatever its author likes: who has some of them asked at once must not have the node asked for everything one by one.
 */
export function isAboutBatch(message: string): boolean {
  return BATCH.test(message) && TOO_MANY.test(message) && !OF_CONTRACT.test(message)
}

const BATCH = /\bbatch(?:ed|es)?\b/i
const TOO_MANY =
  /too (?:many|large|big|long)|more than|limit|exceed|size|max|not (?:supported|allowed)/i
/** How nodes begin what a contract says: "execution reverted: " (Geth and most), "Execution reverted (" (Besu), "VM execution error." (Nethermind). */
const OF_CONTRACT = /revert|\bexecution\b/i
