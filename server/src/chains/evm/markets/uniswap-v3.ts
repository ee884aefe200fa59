import type { MarketConfig } from '../../../kernel/network-config.ts'
import type { Address } from '../../chain.ts'
import { malformed } from '../../json-rpc/answer.ts'
import type { Quote, QuoteOrder, QuoteOutcome, Venue } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { blockNumberView, readEach } from '../multicall.ts'
import type { MarketDeps } from './deps.ts'
import { openPoolAddresses } from './pool-addresses.ts'
import type { PoolAddresses } from './pool-addresses.ts'
import { SLOT0, buyDataV3, getPoolCall, isEmptied, quoteCall, sellDataV3 } from './router-v3.ts'
import { pairsOf, pathsOf, routeFields, routeOf } from './token-route.ts'
import type { TokenPair, TokenPath } from './token-route.ts'
import { byAmountOut, outcomeOf, venueOf } from './venue-of.ts'
import { uintOf, wordsOf } from './words.ts'

/** amountOut, price after, ticks crossed, gas. Source: IQuoterV2. */
const QUOTE_WORDS = 4
/** A pool's price and six more. Source: IUniswapV3PoolState. */
const SLOT0_WORDS = 7
const FEE_WHOLE = 1_000_000n
const BASIS_POINTS = 10_000n
/** Prices are square roots with 96 bits behind the point. */
const PRICE_SCALE = 2n ** 192n

/** One pool, and what would go into it. */
interface Hop {
  readonly pair: TokenPair
  readonly amountIn: bigint
  readonly fee: bigint
  readonly pool: Address
}

/** What a pool gives; `got` of `ideal` is how much less that is than at its price for next to nothing. */
interface HopOffer extends Hop {
  readonly amountOut: bigint
  readonly ideal: bigint
  readonly got: bigint
}

type Offer = readonly [HopOffer, ...HopOffer[]]

/**
 * Pools of Uniswap V3 with the wrapped native currency, and ways through a configured hub: of the configured fee tiers those that give most.
 * What a tier gives grows with what goes in, so the best tier before a hub is part of the best way.
 */
export function openUniswapV3(
  deps: MarketDeps,
  market: Extract<MarketConfig, { venue: 'uniswap-v3' }>,
): Venue {
  const { transport, newest } = deps
  const router = requireAddress(market.router)
  const quoter = requireAddress(market.quoter)
  const wrapped = requireAddress(market.wrappedNative)
  const hubs = (market.hubs ?? []).map(requireAddress)
  const addresses = openPoolAddresses(deps, requireAddress(market.factory))
  const tiers = market.feeTiers.map(BigInt)

  async function poolsOf(pair: TokenPair, find: PoolAddresses['find']) {
    const found = await Promise.all(
      tiers.map(async (fee) => ({ fee, pool: await find(getPoolCall(pair, fee)) })),
    )
    return found.flatMap(({ fee, pool }) => (pool === undefined ? [] : [{ pair, fee, pool }]))
  }

  /** The pools of a path, pair by pair; undefined where a pair has none. */
  async function waysOf(path: TokenPath) {
    const pairs = pairsOf(path)
    const find = pairs.length === 1 ? addresses.find : addresses.findOften
    const [first = [], second] = await Promise.all(pairs.map((pair) => poolsOf(pair, find)))
    return first.length === 0 || second?.length === 0 ? undefined : { path, first, second }
  }

  /** What each pool gives; those left out give nothing, or not for that much. */
  async function ask(hops: readonly Hop[]): Promise<{ height: bigint; offers: HopOffer[] }> {
    const asked = hops.flatMap(({ pair, amountIn, fee, pool }) => [
      { target: quoter, data: quoteCall(pair, amountIn, fee) },
      { target: pool, data: SLOT0 },
    ])
    const [number, ...answers] = await transport.read(readEach([blockNumberView, ...asked]))
    const [word] = wordsOf(number, 1) ?? []
    if (word === undefined) throw malformed('block number', 'nothing')
    const height = uintOf(word)
    newest.note(height)
    const offers = hops.flatMap((hop, index): readonly HopOffer[] => {
      const [given, after] = wordsOf(answers[2 * index], QUOTE_WORDS) ?? []
      const amountOut = uintOf(given)
      // The quoter tells what a pool gives before its liquidity ends, and not that it took a part only.
      if (amountOut === 0n || isEmptied(hop.pair, uintOf(after))) return []
      const root = uintOf(wordsOf(answers[2 * index + 1], SLOT0_WORDS)?.[0])
      return [{ ...hop, amountOut, ...shareOf(hop, amountOut, root) }]
    })
    return { height, offers }
  }

  async function quote(order: QuoteOrder): Promise<QuoteOutcome> {
    const { amountIn } = order
    const found = await Promise.all(pathsOf(order, wrapped, hubs).map(waysOf))
    const ways = found.flatMap((way) => way ?? [])
    if (ways.length === 0) return { ok: false, refusal: 'no_market' }
    const { height, offers } = await ask(
      ways.flatMap(({ first }) => first.map((each) => ({ ...each, amountIn }))),
    )
    const bestOf = (from: readonly HopOffer[], pair: TokenPair | undefined) =>
      from.filter((offer) => offer.pair === pair).toSorted(byAmountOut)[0]
    const begun = ways.flatMap(({ first, second }) => {
      const offer = bestOf(offers, first[0]?.pair)
      return offer === undefined ? [] : [{ offer, second }]
    })
    const behind = begun.flatMap(({ offer, second = [] }) =>
      second.map((each) => ({ ...each, amountIn: offer.amountOut })),
    )
    const later = behind.length === 0 ? [] : (await ask(behind)).offers
    const whole = begun.flatMap(({ offer, second }): readonly Offer[] => {
      if (second === undefined) return [[offer]]
      const last = bestOf(later, second[0]?.pair)
      return last === undefined ? [] : [[offer, last]]
    })
    return outcomeOf(
      whole.map((hops): Quote => ({
        ...order,
        venue: 'uniswap-v3',
        amountOut: hops.at(-1)?.amountOut ?? 0n,
        priceImpactBasisPoints: impactOf(hops),
        height,
        expiresAtMilliseconds: null,
        route: { ...fieldsOf(order, hops), router },
      })),
    )
  }

  return venueOf(deps, {
    name: 'uniswap-v3',
    router,
    wrapped,
    looksAtArrival: false,
    quote,
    swapData: (order, deadlineSeconds) => {
      const { side, amountIn } = order.quote
      const terms = {
        amountIn,
        minimumOut: order.minimumOut,
        path: routeOf(order.quote, wrapped).path,
        fees: feesOf(order.quote),
        recipient: order.wallet,
        deadlineSeconds,
      }
      return side === 'buy' ? buyDataV3(terms) : sellDataV3(terms)
    },
  })
}

/**
 * How much less comes out than at the pool's price before the swap, its fee included in both. That price is of the second token in the
 * first, and the first is the one whose address is the lower number.
 */
function shareOf(
  { amountIn, fee, pair: [tokenIn, tokenOut] }: Hop,
  out: bigint,
  root: bigint,
): { readonly ideal: bigint; readonly got: bigint } {
  const square = root * root
  const taken = amountIn * (FEE_WHOLE - fee)
  return BigInt(tokenIn) < BigInt(tokenOut)
    ? { ideal: taken * square, got: out * FEE_WHOLE * PRICE_SCALE }
    : { ideal: taken * PRICE_SCALE, got: out * FEE_WHOLE * square }
}

function impactOf(hops: Offer): bigint {
  const ideal = hops.reduce((product, hop) => product * hop.ideal, 1n)
  const got = hops.reduce((product, hop) => product * hop.got, 1n)
  return ideal <= got ? 0n : ((ideal - got) * BASIS_POINTS) / ideal
}

/** `fee` is the tier of the token's own pool, `hubFee` of the hub's. */
function fieldsOf(order: QuoteOrder, [first, second]: Offer): Readonly<Record<string, string>> {
  const [from, between] = first.pair
  if (second === undefined) {
    const route = { path: [from, between], pools: [first.pool] } as const
    return { ...routeFields(order, route), fee: `${first.fee}` }
  }
  const path = [from, between, second.pair[1]] as const
  const [fee, hubFee] = order.side === 'sell' ? [first.fee, second.fee] : [second.fee, first.fee]
  const route = { path, pools: [first.pool, second.pool] } as const
  return { ...routeFields(order, route), fee: `${fee}`, hubFee: `${hubFee}` }
}

/** The tiers on the way, the first one first. */
function feesOf({ side, route }: Quote): readonly bigint[] {
  const fee = feeIn(route['fee'])
  if (route['hub'] === undefined) return [fee]
  const hubFee = feeIn(route['hubFee'])
  return side === 'sell' ? [fee, hubFee] : [hubFee, fee]
}

function feeIn(fee = ''): bigint {
  if (!/^[0-9]{1,7}$/.test(fee)) throw new Error('a quote without its fee tier')
  return BigInt(fee)
}
