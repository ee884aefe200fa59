import { familyOf } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'

/** What stands between an offer and its payment: what the caller can change by another request, or anything else. */
export type Obstacle = 'network' | 'asset' | 'self' | 'other'

/** One sentence names so many networks; `declined` has them all. */
const NETWORKS_NAMED_MAX = 3

/**
 * Why none of the offers can be paid at any ceiling, and what to do: of the offer that is nearest to being paid. Two sentences for people; each offer's
 * own reason stands beside it.
 */
export function whyUnpayable(
  offers: readonly { readonly obstacle: Obstacle; readonly network: NetworkId }[],
  { network, symbol }: { readonly network: NetworkId; readonly symbol: string },
): string {
  const has = (obstacle: Obstacle) => offers.some((offer) => offer.obstacle === obstacle)
  if (offers.length === 0 || has('other')) {
    return 'The seller asks for nothing that this wallet pays with. details.declined says of each offer why.'
  }
  if (has('self')) {
    return 'The seller asks to be paid at the very wallet that is to pay, and no wallet pays itself. Buy with another wallet.'
  }
  if (has('asset')) {
    return `On ${network} the seller asks for other assets than ${symbol}. Name one of those in details.declined as asset, with maxAmount in its units.`
  }
  return elsewhere([...new Set(offers.map((offer) => offer.network))], network)
}

function elsewhere(asked: readonly NetworkId[], network: NetworkId): string {
  const family = familyOf(network)
  const within = asked.filter((each) => familyOf(each) === family)
  const named = (within.length > 0 ? within : asked).slice(0, NETWORKS_NAMED_MAX).join(', ')
  const what = `The seller asks to be paid on ${named}, and this purchase pays on ${network}.`
  return within.length > 0
    ? `${what} Name one of them as network, if GET /networks lists it.`
    : `${what} This wallet cannot pay there: buy with a wallet of another family.`
}
