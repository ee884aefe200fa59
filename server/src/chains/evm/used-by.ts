import { NodeFailure } from '../chain.ts'
import type { Block } from '../chain.ts'
import type { UsedBy } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { blockHashView, blockNumberView, readViewsAt } from './multicall.ts'
import type { View } from './multicall.ts'
import type { ViewPool } from './view-pool.ts'

/** What a token or a contract says of an authorization. Throws NodeFailure where that says nothing. */
export interface UseView {
  readonly view: View
  isUsed(value: bigint): boolean
}

/**
 * Whether an authorization was used up by the end of a block, asked of the newest block together with its height and with the hash that stands at
 * the height of that block: no state of the past is needed, and what is unused later on the same branch was unused then. The newest block does
 * not know its own hash: where it is that block, or another one in its place, the block is asked by its hash (EIP-1898). A node that does
 * not have it is `behind`.
 */
export async function usedByBlock(
  { views, transport }: { readonly views: ViewPool; readonly transport: Pick<Transport, 'read'> },
  { view, isUsed }: UseView,
  { height, hash }: Pick<Block, 'height' | 'hash'>,
): Promise<UsedBy> {
  const asked = [view, blockNumberView, blockHashView(height)]
  const [value = 0n, newest = 0n, shown = 0n] = await views.read(asked)
  if (isUsed(value)) return 'used'
  if (newest < height) return 'behind'
  // Blocks more than 256 deep have no hash there.
  if (newest > height) return shown === 0n || shown === BigInt(hash) ? 'unused' : 'behind'
  try {
    // Apart: where that block is not there, nobody else's question is asked again with it.
    const read = readViewsAt([view], { blockHash: hash })
    const [then = 0n] = await transport.read({ ...read, apart: true })
    return isUsed(then) ? 'used' : 'unused'
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return 'behind'
  }
}
