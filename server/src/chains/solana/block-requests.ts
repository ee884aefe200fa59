import type { Block } from '../chain.ts'
import { BLOCKS_PER_READ_MAX } from './block-accounts.ts'

/** Requests for whole blocks under way at once. */
const REQUESTS_MAX = 4

/** So many blocks are asked for at once. */
export const BLOCKS_AT_ONCE = BLOCKS_PER_READ_MAX * REQUESTS_MAX

/**
 * Asks something of some whole blocks, in their order: `BLOCKS_AT_ONCE` at most. A request holds two of them, because an answer has a bound and is read
 * in one piece, and several are under way at once: a node far away takes a third of a second to answer, in which a chain with slots of 200 ms makes
 * two more.
 */
export async function ofEachBlock<Value>(
  blocks: readonly Block[],
  ask: (block: Block) => Promise<Value>,
): Promise<readonly Value[]> {
  const asked: Promise<readonly Value[]>[] = []
  for (let from = 0; from < blocks.length; from += BLOCKS_PER_READ_MAX) {
    // What is asked for in one tick goes in one request.
    if (from > 0) await new Promise<void>((resolve) => setImmediate(resolve))
    const some = Promise.all(blocks.slice(from, from + BLOCKS_PER_READ_MAX).map(ask))
    // Whoever fails before all are asked is heard below.
    some.catch(() => undefined)
    asked.push(some)
  }
  return (await Promise.all(asked)).flat()
}
