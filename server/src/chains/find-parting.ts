import { limits } from '../kernel/limits.ts'
import type { Chain } from './chain.ts'
import type { ReadBlock } from './next-blocks.ts'

/** Where the chain and what was read of it part. */
export interface Parting<Read> {
  /** The newest block that was read and that the chain still has; undefined where it has none of them. */
  readonly ancestor: Read | undefined
  /** Whether it has another block in the place of one, or one beyond it and none in its place. A node that merely has fewer blocks contradicts nothing. */
  readonly isGone: boolean
}

/**
 * Looks for the newest block that the chain still has among those that were read, which are given from the newest down. From there down they are asked
 * for, a round's worth per question: between the newest block and the final one there may be thousands, and nearly every reorganisation takes one.
 */
export async function findParting<Read extends ReadBlock>(
  chain: Pick<Chain, 'blocks'>,
  read: readonly Read[],
): Promise<Parting<Read>> {
  const askedMax = limits.followBlocksPerRoundMax
  let top: bigint | undefined
  let isGone = false
  // One fewer than are asked for, so that one beyond the newest is shown where there is one.
  for (let begin = 0; begin < read.length; begin += askedMax - 1) {
    const part = read.slice(begin, begin + askedMax - 1)
    const canonical = await hashesOf(chain, part, askedMax)
    for (const height of canonical.keys()) {
      if (top === undefined || height > top) top = height
    }
    const has = ({ height, blockHash }: Read) => canonical.get(height) === blockHash
    const at = part.findIndex(has)
    const above = at === -1 ? part : part.slice(0, at)
    const reach = top ?? -1n
    isGone ||= above.some(({ height }) => height <= reach)
    if (at !== -1) return { ancestor: part[at], isGone }
  }
  return { ancestor: undefined, isGone }
}

/** What the chain has at the heights of a few blocks, and perhaps some beyond. */
async function hashesOf(
  chain: Pick<Chain, 'blocks'>,
  part: readonly ReadBlock[],
  askedMax: number,
): Promise<ReadonlyMap<bigint, string>> {
  const hashes = new Map<bigint, string>()
  const newest = part[0]?.height ?? -1n
  let from = part.at(-1)?.height ?? 0n
  while (from <= newest) {
    const blocks = await chain.blocks(from, askedMax)
    const last = blocks.at(-1)
    if (last === undefined) break
    for (const { height, hash } of blocks) hashes.set(height, hash)
    from = last.height + 1n
  }
  return hashes
}
