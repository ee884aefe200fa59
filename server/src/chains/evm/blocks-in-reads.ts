import type { Block } from '../chain.ts'

/** A busy block's transactions are 1 to 2 MB of JSON; so many stay well below what an answer may have. */
const BLOCKS_PER_READ = 8
/** The transactions of so many busy blocks: as many are read together from blocks that are quicker, of which each has fewer. */
const TRANSACTIONS_PER_READ = 1_600

/**
 * Blocks in the parts in which they are read with all that is in them, those without transactions left out. Where blocks are ten times as quick each has a tenth of the
 * transactions, and eight at a time would be ten times as many round trips for the same.
 */
export function blocksInReads(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const parts: Block[][] = []
  let transactions = 0
  for (const block of blocks) {
    const count = block.transactionHashes.length
    if (count === 0) continue
    const part = parts.at(-1)
    const fits =
      part !== undefined &&
      (part.length < BLOCKS_PER_READ || transactions + count <= TRANSACTIONS_PER_READ)
    if (fits) {
      part.push(block)
      transactions += count
    } else {
      parts.push([block])
      transactions = count
    }
  }
  return parts
}
