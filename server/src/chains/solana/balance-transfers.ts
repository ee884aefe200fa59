import type { Address, TokenTransfer } from '../chain.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { INNER_STEP } from './instructions.ts'
import { holdingsOf } from './token-transfers.ts'

/**
 * What moved between owners by the balances around a transaction alone, counted by places as inner instructions of that one are: what
 * each account got, from the one owner whose accounts gave of that mint. Where several gave, nobody can tell whose it was, and none is told.
 */
export function balanceTransfers(
  meta: Fields,
  accounts: readonly Address[],
  index: number,
): readonly TokenTransfer[] {
  const holdings = [...holdingsOf(meta, accounts).values()]
  return holdings
    .filter(({ before, after }) => after > before)
    .flatMap(({ mint, owner: to, before, after }, place) => {
      const givers = holdings.filter((each) => each.mint === mint && each.after < each.before)
      const [from, second] = new Set(givers.map(({ owner }) => owner))
      if (from === undefined || second !== undefined) return []
      const logIndex = index + (place + 1) * INNER_STEP
      return [{ asset: mint, from, to, amount: after - before, logIndex }]
    })
}
