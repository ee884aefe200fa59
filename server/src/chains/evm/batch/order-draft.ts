import { draftSettlement, learn, learnedGas } from '../exact-draft.ts'
import type { BatchDeps } from './deps.ts'

/** Under this name, that what was measured of such calls holds here. */
const MEASURED = 'as measured'

/**
 * Drafts calls of orders, which were found good in everything else. A network may count more than what was measured elsewhere, and only its estimates show that: Arbitrum takes the price
 * of a call's data as gas, which no run of the call does. So one estimate within what was measured is believed for as long as what is learned, and one above it ends that.
 */
export function openOrderDraft(
  drafting: Parameters<typeof draftSettlement>[0],
): BatchDeps['draft'] {
  return async (call, settler, gasMax, likely) => {
    const measured = typeof likely === 'bigint' ? likely : undefined
    const name = typeof likely === 'bigint' ? MEASURED : likely
    const known = name === undefined ? undefined : learnedGas(drafting, name)
    const gas = known === undefined ? undefined : (measured ?? known)
    const attempt = await draftSettlement(drafting, call, settler, gasMax, gas)
    if (!attempt.ok) return undefined
    if (measured === undefined) {
      if (name !== undefined) learn(drafting, name, attempt.gas)
    } else if (attempt.gas > measured) drafting.learned.delete(MEASURED)
    // How much it is, each call says itself.
    else if (!attempt.wasRun) learn(drafting, MEASURED, 1n)
    return attempt.draft
  }
}
