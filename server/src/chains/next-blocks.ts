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
 * its place. No question where the head's own answer shows that it is the next, or others have read those below it; else one. The one that was read is asked for again where those above it are not shown to
 * build on it.
 */
export async function nextBlocks(
  chain: Pick<Chain, 'blocks' | 'between'>,
  read: ReadBlock,
  head: Pick<Head, 'block'>,
  countMax: number,
): Promise<readonly Block[] | undefined> {
  const shown = shownNext(read, head)
  if (shown !== undefined) return [shown]
  const below = head.block && (await readUpTo(chain, read, head.block, countMax))
  if (below !== undefined) return below
  const [known, ...fresh] = await chain.blocks(read.height, countMax + 1)
  if (known?.hash !== read.blockHash) return undefined
  // A reorg in mid-read shows in the next round.
  return linked(read, fresh)
}

/** Those up to a head that has been shown, of which only the ones between are asked for. Undefined where what is shown does not build on the one that was read. */
async function readUpTo(
  chain: Pick<Chain, 'blocks' | 'between'>,
  read: ReadBlock,
  head: Block,
  countMax: number,
): Promise<readonly Block[] | undefined> {
  const between = Number(head.height - read.height) - 1
  if (between < 1) return undefined
  const known = chain.between?.(read, head)
  if (known !== undefined) return known.slice(0, countMax)
  const run = linked(read, await chain.blocks(read.height + 1n, Math.min(between, countMax)))
  const last = run.at(-1)
  if (last === undefined) return undefined
  const isNext = head.parentHash === last.hash && head.height === last.height + 1n
  return isNext && run.length < countMax ? [...run, head] : run
}

function linked({ blockHash }: ReadBlock, blocks: readonly Block[]): readonly Block[] {
  const run: Block[] = []
  for (const block of blocks) {
    if (block.parentHash !== (run.at(-1)?.hash ?? blockHash)) break
    run.push(block)
  }
  return run
}
