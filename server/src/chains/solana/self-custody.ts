import type { SelfCustody } from '../self-custody.ts'
import { inspectBytes } from './inspect.ts'
import { prepareSettlement, prepareTransfer } from './prepare.ts'
import type { PrepareDeps } from './prepare.ts'
import { simulateBytes } from './preview.ts'
import { readSightings } from './sightings.ts'

/** Transactions for wallets of others: version 0, with the places of the signatures empty. */
export function openSelfCustody(deps: PrepareDeps): SelfCustody {
  return {
    prepare: (order) => prepareTransfer(deps, order),
    prepareSettlement: (authorization, settler) => prepareSettlement(deps, authorization, settler),
    sightings: (blocks, watched) => readSightings(deps, blocks, watched),
    inspect: (bytes, wallets) => inspectBytes(deps, bytes, wallets),
    simulate: (bytes, sender) => simulateBytes(deps, bytes, sender),
  }
}
