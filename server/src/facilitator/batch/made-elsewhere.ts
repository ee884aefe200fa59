import { NodeFailure } from '../../chains/chain.ts'
import type { TransactionHash } from '../../chains/chain.ts'
import { isDeepEnough } from '../../kernel/deep-enough.ts'
import type { LookedCall } from '../escrow-looks-store.ts'
import type { BatchIntake } from './intake.ts'

/**
 * Where a transaction of ours failed: the one of somebody else by which the very same was done before, as deep as a seller is told of any. `unknown` where no node tells, or it is not that
 * deep; undefined where nobody did it.
 */
export async function madeElsewhere(
  { chain: { config }, order }: BatchIntake,
  { stored, followed }: LookedCall,
): Promise<TransactionHash | 'unknown' | undefined> {
  const height = stored.minedHeight ?? followed
  if (order.elsewhere === undefined || height === null) return undefined
  try {
    const found = await order.elsewhere(height)
    if (found.kind === 'nowhere') return undefined
    const isTold = found.kind === 'made' && isDeepEnough(found.height, config, followed)
    return isTold ? found.hash : 'unknown'
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return 'unknown'
  }
}
