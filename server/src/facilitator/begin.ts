import type { Wallet } from '../custody/wallet.ts'
import type { BeginDeps, Beginning } from './beginning.ts'
import type { Queued } from './claim-queue.ts'
import { findForeign, recordForeign } from './paid-elsewhere.ts'
import { PAST_UNTOLD, PROCESSED } from './refusal-of.ts'
import { wasSentBefore } from './sent-before.ts'
import { isWorthItsGas } from './sponsoring.ts'

/**
 * Asks what settling needs, then in one transaction: claim, record, place, signature and bytes; afterwards the bytes are sent. A refusal
 * has stored nothing.
 */
export async function beginSettlement(deps: BeginDeps, beginning: Beginning): Promise<Queued> {
  const { settlers } = deps
  const { chain, authorization } = beginning.intake
  const { config } = chain
  const named = authorization.feePayer ?? authorization.onlySettler ?? null
  const settler = settlers.next(config.family, named, (address) =>
    deps.funds.isLow(config.network, address),
  )
  if (settler === undefined) return { kind: 'refused', reason: 'network_unavailable' }
  const handedIn = deps.claims.coming(chain, settler)
  const begun = await draftAndClaim(deps, beginning, settler, handedIn).finally(handedIn)
  if (begun.kind !== 'unusable') return begun
  // It counts as low now, so each turn has fewer keys.
  if (named === null) return beginSettlement(deps, beginning)
  return { kind: 'refused', reason: 'network_unavailable' }
}

/** The same with one key; `unusable` when it should not be asked now. `handedIn` is called when the claim waits for its turn. */
async function draftAndClaim(
  deps: BeginDeps,
  beginning: Beginning,
  settler: Wallet,
  handedIn: () => void,
): Promise<Queued> {
  const { chain, exact, authorization } = beginning.intake
  const { config } = chain
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) {
    // What is looked for now takes thousands of blocks.
    handedIn()
    const use = drafted.isUsed === true ? await findForeign(deps, beginning) : undefined
    if (use?.kind === 'behind') {
      return { kind: 'refused', reason: 'network_unavailable', isUsed: true, isBehind: true }
    }
    const recorded =
      use?.kind === 'paid' ? await recordForeign(deps, beginning, use.settlement) : undefined
    if (recorded !== undefined) return recorded
    const { ok: _, signable: terms, lacks, ...refused } = drafted
    // Where it has moved the money, nobody is to hear that it failed, or that a fresh one is needed. What names itself by its signature is looked for by that.
    const wasSent =
      terms === undefined
        ? chain.renewal.kind === 'lifetime' && drafted.isUsed === true
        : await wasSentBefore(deps, { chain, settler, terms })
    if (wasSent === true) {
      return { kind: 'refused', reason: 'duplicate_settlement', message: PROCESSED, isUsed: true }
    }
    // In some seconds the blocks that could hold it are final.
    if (wasSent === 'too young') {
      return { kind: 'refused', reason: 'network_unavailable', isBehind: true }
    }
    // That it lacks time alone would say that nothing was paid, and a fresh one is needed.
    return wasSent === 'untold'
      ? { kind: 'refused', ...refused, message: PAST_UNTOLD, isPastUntold: true }
      : { kind: 'refused', ...refused, ...(lacks === undefined ? {} : { lacks }) }
  }
  const { draft } = drafted
  if (!deps.funds.note(config.network, settler.address, draft)) return { kind: 'unusable' }
  if (!isWorthItsGas(config, authorization, draft.feeExpected)) {
    return { kind: 'refused', reason: 'payment_too_small_for_its_gas' }
  }
  const claimed = deps.claims.claim(chain, settler, { beginning, draft })
  handedIn()
  const begun = await claimed
  if (begun.kind === 'unusable') deps.funds.setAside(config.network, settler.address)
  return begun
}
