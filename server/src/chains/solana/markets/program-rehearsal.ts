import { NotCarried } from '../../venue.ts'
import type { SwapOrder } from '../../venue.ts'
import type { DraftDeps } from '../draft.ts'
import { simulateBytes } from '../preview.ts'

/**
 * Simulates a module's trade, and throws NotCarried where it would not do to the wallet's balances what was agreed on. Rent that nobody told
 * of counts as a loss: a program that asks for more than it said is not paid.
 */
export async function rehearse(
  deps: DraftDeps,
  bytes: Uint8Array,
  { wallet, quote, minimumOut }: SwapOrder,
  accountRent: bigint,
): Promise<void> {
  const outcome = await simulateBytes(deps, bytes)
  if (!('succeeds' in outcome) || !outcome.succeeds) {
    const why = 'succeeds' in outcome ? outcome.error : outcome.reason
    throw new NotCarried(`a trade of ${quote.venue} would fail: ${why}`)
  }
  const { side, amountIn, token } = quote
  const own = outcome.changes.filter(({ address }) => address === wallet)
  const change = (asset: string): bigint =>
    own.filter((each) => each.asset === asset).reduce((sum, { delta }) => sum + delta, 0n)
  // The network's fee is not in it.
  const [native, moved] = [change('native'), change(token.mint)]
  const isRight =
    side === 'buy'
      ? native >= -(amountIn + accountRent) && moved >= minimumOut
      : native >= minimumOut - accountRent && moved === -amountIn
  const known: readonly string[] = ['native', token.mint]
  const isElsewhere = own.some(({ asset, delta }) => delta < 0n && !known.includes(asset))
  if (!isRight || isElsewhere) {
    throw new NotCarried(`a trade of ${quote.venue} would do something else`)
  }
}
