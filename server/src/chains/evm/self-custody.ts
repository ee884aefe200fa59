import type { SelfCustody } from '../self-custody.ts'
import type { KeptBlocks } from './kept-blocks.ts'
import { inspectBytes } from './inspect.ts'
import { prepareSettlement, prepareTransfer } from './prepare.ts'
import type { PrepareDeps } from './prepare.ts'
import { simulateBytes } from './preview.ts'
import { readSightings } from './sightings.ts'

/** Transactions for wallets of others: EIP-1559, unsigned. */
export function openSelfCustody(deps: PrepareDeps & { readonly wholes?: KeptBlocks }): SelfCustody {
  return {
    prepare: (order) => prepareTransfer(deps, order),
    prepareSettlement: (authorization, settler, priorityFee) =>
      prepareSettlement(deps, authorization, settler, priorityFee),
    sightings: (blocks, watched) => readSightings(deps, blocks, watched),
    inspect: (bytes) => inspectBytes(deps, bytes),
    simulate: (bytes, sender) => simulateBytes(deps, bytes, sender),
  }
}
