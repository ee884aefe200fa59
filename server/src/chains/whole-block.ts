import { NodeFailure } from './chain.ts'
import type { Block } from './chain.ts'

/**
 * Throws NodeFailure where a node shows fewer transactions of a block than it was told to hold when it was read: behind one address another machine may
 * answer, which has the block and not all that is in it, and a block is read once only.
 */
export function requireWhole(
  shown: readonly unknown[],
  { height, transactionHashes }: Block,
): void {
  if (shown.length >= transactionHashes.length) return
  const counts = `${shown.length} of the ${transactionHashes.length}`
  throw new NodeFailure(`the node shows ${counts} transactions of block ${height}`)
}
