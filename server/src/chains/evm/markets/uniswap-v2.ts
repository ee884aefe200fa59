import type { MarketConfig } from '../../../kernel/network-config.ts'
import type { Address } from '../../chain.ts'
import type { QuoteOrder, QuoteOutcome, Venue } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { amountOut, priceImpactBasisPoints } from './constant-product.ts'
import type { Reserves } from './constant-product.ts'
import type { MarketDeps } from './deps.ts'
import { openPoolAddresses } from './pool-addresses.ts'
import { openPoolStates } from './pool-states.ts'
import { GET_RESERVES, buyData, getPairCall, sellData } from './router-v2.ts'
import { pathOf, venueOf } from './venue-of.ts'
import { uintOf, wordsOf } from './words.ts'

/** Two reserves, and when they last changed. */
const RESERVE_WORDS = 3

/** Pairs of Uniswap V2 and its forks with the wrapped native currency. */
export function openUniswapV2(
  deps: MarketDeps,
  market: Extract<MarketConfig, { venue: 'uniswap-v2' }>,
): Venue {
  const { transport, clock, newest, config } = deps
  const router = requireAddress(market.router)
  const wrapped = requireAddress(market.wrappedNative)
  const pairOf = openPoolAddresses(transport, requireAddress(market.factory))
  const { blockTimeMilliseconds } = config
  const call = GET_RESERVES
  const states = openPoolStates({ transport, clock, newest, call, blockTimeMilliseconds })

  async function quote(order: QuoteOrder): Promise<QuoteOutcome> {
    const path = pathOf(order, wrapped)
    const pool = await pairOf(getPairCall(path))
    if (pool === undefined) return { ok: false, refusal: 'no_market' }
    const { height, bytes } = await states.read(pool)
    const reserves = reservesOf(bytes, path)
    if (reserves === undefined) return { ok: false, refusal: 'no_market' }
    const out = amountOut(order.amountIn, reserves)
    if (out === 0n) return { ok: false, refusal: 'insufficient_liquidity' }
    return {
      ok: true,
      quote: {
        ...order,
        venue: 'uniswap-v2',
        amountOut: out,
        priceImpactBasisPoints: priceImpactBasisPoints(order.amountIn, out, reserves),
        height,
        expiresAtMilliseconds: null,
        route: { pool, router },
      },
    }
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
        path: pathOf(order.quote, wrapped),
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
  [tokenIn, tokenOut]: readonly [Address, Address],
): Reserves | undefined {
  const words = wordsOf(bytes, RESERVE_WORDS)
  if (words === undefined) return undefined
  const [first, second] = [uintOf(words[0]), uintOf(words[1])]
  return BigInt(tokenIn) < BigInt(tokenOut)
    ? { reserveIn: first, reserveOut: second }
    : { reserveIn: second, reserveOut: first }
}
