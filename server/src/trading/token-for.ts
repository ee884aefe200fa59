import { Refusal } from '@florin/wire/errors.ts'
import type { Chain } from '../chains/chain.ts'
import type { TradedToken } from '../chains/venue.ts'
import { findKey } from '../idempotency/store.ts'
import { isCurrencyToken } from '../kernel/currency-tokens.ts'
import { parseId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import type { Tokens } from './tokens.ts'
import { findTradeOf } from './trade-store.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

/** By what an earlier identical request is found. */
export interface AskedBefore {
  readonly accountId: AccountId
  readonly operation: string
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
}

/**
 * The token of a wish. A node that is away, or a token that is gone, must not hide a trade that an identical request has made: then it is
 * that trade's own token, and the trade is joined. Refuses INVALID_MINT, also a token that is what it would be traded for; throws NodeFailure when nobody can say.
 */
export async function tokenFor(
  { store, tokens }: { readonly store: Store; readonly tokens: Tokens },
  chain: Chain,
  mintText: string,
  { once, ...asked }: AskedBefore,
): Promise<TradedToken> {
  try {
    const token = await tokens.of(chain, mintText)
    if (isCurrencyToken(chain.config, token.mint)) throw isItself(chain)
    return token
  } catch (error) {
    if (once === null) throw error
    const trade = await store.inTransaction(asked.accountId, async (tx) => {
      const claim = await findKey(tx, { ...asked, ...once })
      const paymentId = claim?.kind === 'replay' ? parseId('pay', claim.resourceId) : undefined
      return paymentId && findTradeOf(tx, asked.accountId, paymentId)
    })
    if (trade === undefined) throw error
    return trade.token
  }
}

function isItself({ config: { network } }: Chain): Refusal {
  const rule = `is the currency of ${network} itself, so there is nothing to trade`
  return new Refusal('INVALID_MINT', { details: { mint: rule } })
}
