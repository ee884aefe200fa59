import type { MarketConfig } from '../../../kernel/network-config.ts'
import type { Quote, QuoteOrder, QuoteOutcome, Venue } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { amountOut, priceImpactBasisPoints } from './constant-product.ts'
import type { Reserves } from './constant-product.ts'
import type { MarketDeps } from './deps.ts'
import { openPoolAddresses } from './pool-addresses.ts'
import { openPoolStates } from './pool-states.ts'
import { GET_RESERVES, buyData, getPairCall, sellData } from './router-v2.ts'
import { pairsOf, pathsOf, routeFields, routeOf } from './token-route.ts'
import type { TokenPair, TokenPath, TokenRoute } from './token-route.ts'
import { outcomeOf, venueOf } from './venue-of.ts'
import { uintOf, wordsOf } from './words.ts'

/** Two reserves, and when they last changed. */
const RESERVE_WORDS = 3
/** Above every block. */
const HIGHEST = 2n ** 64n

/** What a way gives. */
interface Offer extends TokenRoute {
  readonly amountOut: bigint
  readonly impact: bigint
  readonly height: bigint
}

/** Pairs of Uniswap V2 and its forks with the wrapped native currency, and ways through a configured hub. */
export function openUniswapV2(
  deps: MarketDeps,
  market: Extract<MarketConfig, { venue: 'uniswap-v2' }>,
): Venue {
  const { transport, clock, newest, config } = deps
  const router = requireAddress(market.router)
  const wrapped = requireAddress(market.wrappedNative)
  const hubs = (market.hubs ?? []).map(requireAddress)
  const pairs = openPoolAddresses(deps, requireAddress(market.factory))
  const { blockTimeMilliseconds } = config
  const call = GET_RESERVES
  const states = openPoolStates({ transport, clock, newest, call, blockTimeMilliseconds })

  /** Undefined where there is no such way. */
  async function offerOn(path: TokenPath, amountIn: bigint): Promise<Offer | undefined> {
    const hops = pairsOf(path)
    const find = hops.length === 1 ? pairs.find : pairs.findOften
    const found = await Promise.all(hops.map((pair) => find(getPairCall(pair))))
    const [first, ...others] = found.flatMap((pool) => pool ?? [])
    if (first === undefined || others.length !== hops.length - 1) return undefined
    const pools = [first, ...others] as const
    const answers = await Promise.all(pools.map((pool) => states.read(pool)))
    const reserves = hops.flatMap((pair, index) => reservesOf(answers[index]?.bytes, pair) ?? [])
    if (reserves.length !== hops.length) return undefined
    const out = reserves.reduce((amount, pool) => amountOut(amount, pool), amountIn)
    const impact = priceImpactBasisPoints(amountIn, out, reserves)
    const height = answers.reduce((low, each) => (each.height < low ? each.height : low), HIGHEST)
    return { path, pools, amountOut: out, impact, height }
  }

  async function quote(order: QuoteOrder): Promise<QuoteOutcome> {
    const paths = pathsOf(order, wrapped, hubs)
    const found = await Promise.all(paths.map((path) => offerOn(path, order.amountIn)))
    const offers = found.flatMap((offer) => offer ?? [])
    if (offers.length === 0) return { ok: false, refusal: 'no_market' }
    return outcomeOf(
      offers
        .filter((offer) => offer.amountOut > 0n)
        .map((offer): Quote => ({
          ...order,
          venue: 'uniswap-v2',
          amountOut: offer.amountOut,
          priceImpactBasisPoints: offer.impact,
          height: offer.height,
          expiresAtMilliseconds: null,
          route: { ...routeFields(order, offer), router },
        })),
    )
  }

  return venueOf(deps, {
    name: 'uniswap-v2',
    router,
    wrapped,
    looksAtArrival: true,
    quote,
    swapData: (order, deadlineSeconds) => {
      const { side, amountIn } = order.quote
      const terms = {
        amountIn,
        minimumOut: order.minimumOut,
        path: routeOf(order.quote, wrapped).path,
        recipient: order.wallet,
        deadlineSeconds,
      }
      return side === 'buy' ? buyData(terms) : sellData(terms)
    },
  })
}

/** A pair's first token is the one whose address is the lower number. */
function reservesOf(
  bytes: Uint8Array | undefined,
  [tokenIn, tokenOut]: TokenPair,
): Reserves | undefined {
  const words = wordsOf(bytes, RESERVE_WORDS)
  if (words === undefined) return undefined
  const [first, second] = [uintOf(words[0]), uintOf(words[1])]
  return BigInt(tokenIn) < BigInt(tokenOut)
    ? { reserveIn: first, reserveOut: second }
    : { reserveIn: second, reserveOut: first }
}
