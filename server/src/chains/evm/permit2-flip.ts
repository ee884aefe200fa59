import { NodeFailure } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { hexQuantity } from './hex.ts'
import { readViewsAt } from './multicall.ts'
import { isNonceUsed, nonceView } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'

type Nonce = Pick<Permit2Authorization, 'from' | 'nonce'>

const NO_PERMIT2 = -1n

/**
 * The height of the block in which a nonce was used up, from a height on: a used one is never unused again, so the blocks are bisected,
 * from the newest back in steps that double. `none` where it was used before, `behind` where it is not used yet at that head, `unreadable` where
 * no node has the state of that, `unknown` where none has one of before any more, or there is no Permit2.
 */
export async function findFlip(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  sinceHeight: bigint,
  head: bigint,
): Promise<bigint | 'none' | 'behind' | 'unreadable' | 'unknown'> {
  const now = await readNonceAt(transport, nonce, head)
  if (now === undefined) return 'unreadable'
  if (now === 'none') return 'unknown'
  if (now === 'open') return 'behind'
  const floor = sinceHeight - 1n
  let used = head
  // The same as `used` until one is found.
  let open = head
  for (let step = 1n; open === used; step *= 2n) {
    open = head - step > floor ? head - step : floor
    const state = await nonceAt(transport, nonce, open)
    if (state === undefined) return 'unknown'
    if (state === 'open') break
    if (open <= floor) return 'none'
    used = open
  }
  while (used - open > 1n) {
    const middle = open + (used - open) / 2n
    const state = await nonceAt(transport, nonce, middle)
    if (state === undefined) return 'unknown'
    if (state === 'open') open = middle
    else used = middle
  }
  return used
}

/** Whether a nonce is used at a height. Undefined where no node knows the state of that block any more. */
export async function nonceAt(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  height: bigint,
): Promise<'open' | 'used' | undefined> {
  if (height < 0n) return 'open'
  const state = await readNonceAt(transport, nonce, height)
  return state === 'none' ? undefined : state
}

/** The same; `none` where there is no Permit2. */
async function readNonceAt(
  transport: Pick<Transport, 'read'>,
  nonce: Nonce,
  height: bigint,
): Promise<'open' | 'used' | 'none' | undefined> {
  try {
    const views = readViewsAt([nonceView(nonce, NO_PERMIT2)], hexQuantity(height))
    // Apart: where the state is not there any more, nobody else's question is asked again with it.
    const [bits = NO_PERMIT2] = await transport.read({ ...views, apart: true })
    if (bits === NO_PERMIT2) return 'none'
    return isNonceUsed(nonce, bits) ? 'used' : 'open'
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return undefined
  }
}
