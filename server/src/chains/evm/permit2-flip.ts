import { NodeFailure } from '../chain.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { wordFrom } from './answer.ts'
import { findFlip } from './find-flip.ts'
import { hexQuantity } from './hex.ts'
import { readViewsAt } from './multicall.ts'
import { isNonceUsed, nonceView } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'

type Nonce = Pick<Permit2Authorization, 'from' | 'nonce'>

const NO_PERMIT2 = -1n

/**
 * The height of the block in which a nonce was used up, from a height on. `none` where it was used before, `behind` where it is not used yet at that head,
 * `unreadable` where no node has the state of that, `unknown` where none has one of before any more, or there is no Permit2. Each height may be told by another
 * machine, of which one may hang on a branch that was left behind: what is found is a place to look at, and `isUsedUpIn` says whether it is the one.
 */
export async function findNonceFlip(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  sinceHeight: bigint,
  head: bigint,
): Promise<bigint | 'none' | 'behind' | 'unreadable' | 'unknown'> {
  const now = await readNonceAt(transport, nonce, head)
  if (now === undefined) return 'unreadable'
  if (now === 'none') return 'unknown'
  if (now === 'open') return 'behind'
  return findFlip((height) => nonceAt(transport, nonce, height), sinceHeight, head)
}

/**
 * Whether a nonce came to be used in a block: it is in the state of that block and not in its parent's, each asked by its hash (EIP-1898).
 * Undefined where no node shows that.
 */
export async function isUsedUpIn(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  blockHash: string,
): Promise<boolean | undefined> {
  const parentHash = await transport.read(parentRead(blockHash))
  if (parentHash === undefined) return undefined
  const [before, after] = await Promise.all(
    [parentHash, blockHash].map((hash) => nonceAt(transport, nonce, { blockHash: hash })),
  )
  if (before === undefined || after === undefined) return undefined
  return before === 'open' && after === 'used'
}

/** Whether a node shows that a nonce was not used yet at a height. Where none shows anything of it, it is not known, and no. */
export async function isUnusedAt(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  height: bigint,
): Promise<boolean> {
  return (await nonceAt(transport, nonce, height)) === 'open'
}

/** The hash of the block below; undefined where the node does not have the block. */
function parentRead(blockHash: string): Read<string | undefined> {
  return {
    method: 'eth_getBlockByHash',
    params: [blockHash, false],
    parse: (result) =>
      result === null
        ? undefined
        : wordFrom(fieldsFrom(result, 'block')['parentHash'], 'parent hash'),
  }
}

/** Whether a nonce is used at a block. Undefined where no node knows the state of that block any more. */
async function nonceAt(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  block: bigint | { readonly blockHash: string },
): Promise<'open' | 'used' | undefined> {
  if (typeof block === 'bigint' && block < 0n) return 'open'
  const state = await readNonceAt(transport, nonce, block)
  return state === 'none' ? undefined : state
}

/** The same; `none` where there is no Permit2. */
async function readNonceAt(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  block: bigint | { readonly blockHash: string },
): Promise<'open' | 'used' | 'none' | undefined> {
  try {
    const at = typeof block === 'bigint' ? hexQuantity(block) : block
    const views = readViewsAt([nonceView(nonce, NO_PERMIT2)], at)
    // Apart: where the state is not there any more, nobody else's question is asked again with it.
    const [bits = NO_PERMIT2] = await transport.read({ ...views, apart: true })
    if (bits === NO_PERMIT2) return 'none'
    return isNonceUsed(nonce, bits) ? 'used' : 'open'
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return undefined
  }
}
