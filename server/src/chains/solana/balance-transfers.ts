import type { Address, TokenTransfer } from '../chain.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { INNER_STEP } from './instructions.ts'
import { isPaidInto, ownerBefore } from './paid-into.ts'
import { holdingsOf, keepsTokenBalances } from './token-transfers.ts'
import type { Holding } from './token-transfers.ts'

/**
 * What moved between owners by the balances around a transaction alone, counted by places as inner instructions of that one are: what
 * came to where an owner is paid, from the one other owner who has that much less of the mint. Undefined when nobody can tell: where
 * somebody else's account of that mint was in it, the money may be that one's, or have gone through it.
 */
export function balanceTransfers(
  meta: Fields,
  accounts: readonly Address[],
  index: number,
): readonly TokenTransfer[] | undefined {
  if (!keepsTokenBalances(meta)) return undefined
  const holdings = [...holdingsOf(meta, accounts)]
  const grown = holdings.filter(([, { before, after }]) => after > before)
  const transfers: TokenTransfer[] = []
  for (const [place, [account, holding]] of grown.entries()) {
    const { mint, owner, program, before, after } = holding
    if (program === undefined) return undefined
    if (!isPaidInto(account, holding, program)) continue
    const others = holdings.flatMap(([other, each]) =>
      other !== account && each.mint === mint ? [each] : [],
    )
    // Nobody else had any of it there: it was made.
    if (others.length === 0) continue
    const amount = after - before
    const from = onlyGiver(others, amount)
    if (from === undefined) return undefined
    const logIndex = index + (place + 1) * INNER_STEP
    transfers.push({ asset: mint, from, to: owner, amount, logIndex })
  }
  return transfers
}

/** Whose all these accounts were, when they gave at least that much together. */
function onlyGiver(holdings: readonly Holding[], amount: bigint): Address | undefined {
  const [owner, second] = new Set(holdings.map(ownerBefore))
  const given = holdings.reduce((sum, { before, after }) => sum + before - after, 0n)
  return second === undefined && given >= amount ? owner : undefined
}
