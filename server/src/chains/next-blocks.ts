import type { Block, Chain, Head } from './chain.ts'

/** A block that was read before. */
export interface ReadBlock {
  readonly height: bigint
  readonly blockHash: string
}

/** The head's own block, where its answer shows that it is the next after one that was read before. */
export function shownNext(
  { height, blockHash }: ReadBlock,
  { block }: Pick<Head, 'block'>,
): Block | undefined {
  return block?.parentHash === blockHash && block.height === height + 1n ? block : undefined
}

/**
 * The blocks that build on one that was read before, in order and without a gap, at most so many; undefined when the chain has another one in
 * its place. No question where the head's own answer shows that it is the next, else one.
 */
export async function nextBlocks(
  chain: Pick<Chain, 'blocks'>,
  read: ReadBlock,
  head: Pick<Head, 'block'>,
  countMax: number,
): Promise<readonly Block[] | undefined> {
  const shown = shownNext(read, head)
  if (shown !== undefined) return [shown]
  const [known, ...fresh] = await chain.blocks(read.height, countMax + 1)
  if (known?.hash !== read.blockHash) return undefined
  // A reorg in mid-read shows in the next round.
  const run: Block[] = []
  for (const block of fresh) {
    if (block.parentHash !== (run.at(-1) ?? known).hash) break
    run.push(block)
  }
  return run
}
