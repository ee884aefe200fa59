import type { BaseUnits } from '@florin/wire/amount.ts'
import { formatAmount } from '@florin/wire/amount.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Demand, Offer } from './demand.ts'

/** What the caller is willing to pay: one asset on one network, so that a ceiling in whole units can mean only one thing. */
export interface Willing {
  readonly chain: Chain
  readonly payer: Address
  readonly asset: AssetProfile
  readonly ceiling: BaseUnits
}

export interface Choice {
  readonly offer: Offer
  readonly payTo: Address
  readonly amount: BaseUnits
}

/** Why an offer is not taken; shown to the caller. */
export interface Declined {
  readonly network: string
  readonly asset: string
  /** As the offer has it: base units. */
  readonly amountBaseUnits: string
  readonly reason: string
}

export type Chosen =
  | { readonly ok: true; readonly choice: Choice }
  | {
      readonly ok: false
      readonly declined: readonly Declined[]
      /** The least that would have been paid, whole units; null when no offer could be paid at any ceiling. */
      readonly wanted: string | null
    }

/**
 * The cheapest offer that the wallet can pay, the token's own authorizations first where two cost the same. The seller's order is the seller's interest. Asset, decimals and domain are the operator's,
 * whatever the offer calls them.
 */
export function choose({ offers, x402Version }: Demand, willing: Willing): Chosen {
  const looked = offers.map((offer) => look(offer, x402Version, willing))
  const payable = looked
    .flatMap((each) => ('choice' in each ? [each.choice] : []))
    .toSorted((one, other) => compare(one.amount, other.amount) || rank(one) - rank(other))
  const [best] = payable
  if (best !== undefined && best.amount <= willing.ceiling) return { ok: true, choice: best }
  const over = payable.map(({ offer }) => declined(offer, 'asks for more than maxAmount'))
  return {
    ok: false,
    declined: [...over, ...looked.flatMap((each) => ('declined' in each ? [each.declined] : []))],
    wanted: best === undefined ? null : formatAmount(best.amount, willing.asset.decimals),
  }
}

type Looked = { readonly choice: Choice } | { readonly declined: Declined }

function look(offer: Offer, version: X402Version, { chain, payer, asset }: Willing): Looked {
  const { network, scheme, amount, asset: token, extra, payTo: receiver } = offer.requirements
  const no = (reason: string) => ({ declined: declined(offer, reason) })
  if (scheme !== 'exact') return no('is not of the scheme exact')
  if (network !== chain.config.network) return no('is on another network')
  if (chain.parseAddress(token) !== asset.asset) return no('is for another asset')
  const { paymentFlow: flow } = extra
  if (flow !== undefined && flow !== 'authorization' && flow !== 'upfront') {
    return no('is of another flow')
  }
  if (isByPermit2(offer) && !(version === 2 && chain.config.permit2?.includes('exact') === true)) {
    return no('is moved in a way that is not known here')
  }
  const payTo = chain.parseAddress(receiver)
  if (payTo === undefined || payTo === payer || isNobody(chain, payTo)) {
    return no('pays nobody who could be paid')
  }
  if (amount === 0n) return no('asks for nothing')
  return { choice: { offer, payTo, amount } }
}

/** Source: x402 v2, `exact` on EVM. */
function isByPermit2({ requirements }: Offer): boolean {
  return requirements.extra['assetTransferMethod'] === 'permit2'
}

/** For the same money the token's own way is taken: it needs nobody's approval. */
function rank({ offer }: Choice): number {
  return isByPermit2(offer) ? 1 : 0
}

function declined({ requirements }: Offer, reason: string): Declined {
  const { networkName: network, asset, amount } = requirements
  return { network, asset, amountBaseUnits: `${amount}`, reason }
}

function isNobody(chain: Chain, payTo: Address): boolean {
  return (
    chain.config.assets.some(({ asset }) => asset === payTo) ||
    chain.addressBytes(payTo).every((byte) => byte === 0)
  )
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}
