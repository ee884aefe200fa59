import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Terms } from '../chain.ts'
import { lifetimeRead } from './blocks.ts'
import type { DraftDeps } from './draft.ts'
import { SIGNATURE_FEE, raisedPrice } from './fees.ts'
import { readTerms, writeTerms } from './terms.ts'

/**
 * The same transfer with a new lifetime, for when every earlier attempt is proven dead; at a higher price within the ceiling
 * unless the caller named the price. Undefined when the ceiling does not even hold the fee that cannot be left out.
 */
export async function renewTerms(
  { transport, config, facts }: DraftDeps,
  terms: Terms,
  feeCeiling: BaseUnits,
): Promise<Terms | undefined> {
  const before = readTerms(terms, config.network)
  const left = feeCeiling - SIGNATURE_FEE - before.accountRent
  if (left < 0n) return undefined
  const [{ blockhash, lastValidBlockHeight }, recentPrice] = await Promise.all([
    transport.read(lifetimeRead),
    facts.recentPrice(),
  ])
  const { budget, isPriceFixed } = before
  const pricePerUnit = isPriceFixed
    ? budget.pricePerUnit
    : raisedPrice(budget, recentPrice, config.fees, left)
  return writeTerms({
    ...before,
    budget: { ...budget, pricePerUnit },
    blockhash,
    lastValidBlockHeight,
  })
}
