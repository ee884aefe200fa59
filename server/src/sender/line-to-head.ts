import type { Block, Chain, Head } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'

/**
 * The block at a height below a head that a node told, or undefined when it does not lead there. Another node may answer each question, and one of
 * them may hang on a branch that was left behind: only parent by parent are a block and a head of one branch. All between are asked for, a round's worth
 * per question, and none is kept.
 */
export async function readBelowHead(
  chain: Pick<Chain, 'blocks'>,
  head: Pick<Head, 'height' | 'hash'>,
  height: bigint,
): Promise<Block | undefined> {
  let first: Block | undefined
  let last: Block | undefined
  for (let read = 0; read < limits.rememberedBlocksMax;) {
    const from = last === undefined ? height : last.height + 1n
    const blocks = await chain.blocks(from, limits.followBlocksPerRoundMax)
    if (blocks.length === 0) return undefined
    for (const block of blocks) {
      const isNext = last === undefined || block.parentHash === last.hash
      if (!isNext || block.height > head.height) return undefined
      first ??= block
      last = block
      if (block.hash === head.hash) return first
    }
    read += blocks.length
  }
  return undefined
}
