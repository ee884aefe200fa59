import type { BaseUnits } from '@florin/wire/amount.ts'
import { formatAmount } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { PaymentScheme } from '../chains/exact.ts'
import { isNobody } from '../chains/nobody.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Demand, Offer } from './demand.ts'
import { whyUnpayable } from './why-unpayable.ts'
import type { Obstacle } from './why-unpayable.ts'

/** What the caller is willing to pay: one asset on one network, so that a ceiling in whole units can mean only one thing. */
export interface Willing {
  readonly chain: Chain
  readonly payer: Address
  readonly asset: AssetProfile
  readonly ceiling: BaseUnits
  /** Whether the wallet's policy would have it paid, whatever was spent so far. */
  readonly allows: (choice: Pick<Choice, 'payTo' | 'amount'>) => boolean
}

export interface Choice {
  readonly offer: Offer
  readonly payTo: Address
  readonly scheme: PaymentScheme
  /** What is paid; with `upto` the most that the seller may take. */
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
      /** Where `wanted` is null: why nothing could be paid, and what to do. */
      readonly why: string
    }

/**
 * The cheapest offer of `exact` that the wallet can pay within the ceiling, the token's own authorizations first where two cost the same. Where
 * there is none, the offer of `upto` with the lowest maximum within the ceiling: what it will cost is the seller's word, after the signature.
 * What the wallet's policy forbids is taken only where it allows none: then the transaction that signs says by which rule.
 * The seller's order is the seller's interest. Asset, decimals and domain are the operator's, whatever the offer calls them.
 */
export function choose({ offers, x402Version }: Demand, willing: Willing): Chosen {
  const looked = offers.map((offer) => look(offer, x402Version, willing))
  const payable = looked
    .flatMap((each) => ('choice' in each ? [each.choice] : []))
    .toSorted((one, other) => compare(one.amount, other.amount) || rank(one) - rank(other))
  const fitting = payable.filter(({ amount }) => amount <= willing.ceiling)
  const choice = firstOf(fitting.filter(willing.allows)) ?? firstOf(fitting)
  if (choice !== undefined) return { ok: true, choice }
  const [best] = payable
  const unpayable = looked.flatMap((each) => ('declined' in each ? [each] : []))
  const over = payable.map(({ offer }) => declined(offer, 'asks for more than maxAmount'))
  return {
    ok: false,
    declined: [...over, ...unpayable.map((each) => each.declined)],
    wanted: best === undefined ? null : formatAmount(best.amount, willing.asset.decimals),
    why: whyUnpayable(unpayable, {
      network: willing.chain.config.network,
      symbol: willing.asset.symbol,
    }),
  }
}

function firstOf(fitting: readonly Choice[]): Choice | undefined {
  return fitting.find(({ scheme }) => scheme === 'exact') ?? fitting[0]
}

type Looked =
  | { readonly choice: Choice }
  | {
      readonly declined: Declined
      readonly obstacle: Obstacle
      readonly network: Offer['requirements']['network']
    }

function look(offer: Offer, version: X402Version, willing: Willing): Looked {
  const { chain, payer, asset } = willing
  const { network, scheme, amount, asset: token, extra, payTo: receiver } = offer.requirements
  const no = (reason: string, obstacle: Obstacle = 'other') => ({
    ...{ declined: declined(offer, reason), obstacle, network },
  })
  if (scheme !== 'exact' && scheme !== 'upto') return no('is of a scheme that is not known here')
  if (network !== chain.config.network) return no('is on another network', 'network')
  if (chain.parseAddress(token) !== asset.asset) return no('is for another asset', 'asset')
  const isUpto = scheme === 'upto'
  const flow = extra['paymentFlow'] ?? 'authorization'
  if (flow !== 'authorization' && (isUpto || flow !== 'upfront')) return no('is of another flow')
  if (isByPermit2(offer) && !(version === 2 && chain.config.permit2?.includes(scheme) === true)) {
    return no('is moved in a way that is not known here')
  }
  if (isUpto && !namesFacilitator(extra, willing)) return no('names nobody who could take it')
  const payTo = chain.parseAddress(receiver)
  if (payTo === payer) return no('pays the wallet that is to pay', 'self')
  if (payTo === undefined || isNobody(chain, payTo)) {
    return no('pays nobody who could be paid')
  }
  if (amount === 0n) return no('asks for nothing')
  return { choice: { offer, payTo, scheme, amount } }
}

/** `upto` always is. Source: x402 v2, `exact` and `upto` on EVM. */
function isByPermit2({ requirements }: Offer): boolean {
  return requirements.scheme === 'upto' || requirements.extra['assetTransferMethod'] === 'permit2'
}

/** Who alone may take the money of `upto` must be somebody, and not the wallet itself. Source: x402 v2, `upto` on EVM. */
function namesFacilitator(
  { facilitatorAddress: said, assetTransferMethod: method }: Fields,
  { chain, payer }: Willing,
): boolean {
  if ((method ?? 'permit2') !== 'permit2') return false
  const named = typeof said === 'string' ? chain.parseAddress(said) : undefined
  return named !== undefined && named !== payer && !isNobody(chain, named)
}

/** For the same money the token's own way is taken: it needs nobody's approval. */
function rank({ offer }: Choice): number {
  return isByPermit2(offer) ? 1 : 0
}

function declined({ requirements }: Offer, reason: string): Declined {
  const { networkName: network, asset, amount } = requirements
  return { network, asset, amountBaseUnits: `${amount}`, reason }
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}
