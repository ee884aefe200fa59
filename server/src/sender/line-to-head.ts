import type { Block, Chain, Head } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'

/**
 * The blocks from a height on up to a head that a node told, or undefined when they do not lead there. Another node may answer each
 * question, and one of them may hang on a branch that was left behind: only parent by parent are a block and a head of one branch.
 */
export async function readLineTo(
  chain: Chain,
  head: Head,
  fromHeight: bigint,
): Promise<readonly Block[] | undefined> {
  const line: Block[] = []
  while (line.length < limits.rememberedBlocksMax) {
    const from = (line.at(-1)?.height ?? fromHeight - 1n) + 1n
    const blocks = await chain.blocks(from, limits.followBlocksPerRoundMax)
    if (blocks.length === 0) return undefined
    for (const block of blocks) {
      const isNext = line.length === 0 || block.parentHash === line.at(-1)?.hash
      if (!isNext || block.height > head.height) return undefined
      line.push(block)
      if (block.hash === head.hash) return line
    }
  }
  return undefined
}
