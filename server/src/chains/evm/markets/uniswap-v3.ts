import type { MarketConfig } from '../../../kernel/network-config.ts'
import type { Address } from '../../chain.ts'
import { malformed } from '../../json-rpc/answer.ts'
import type { Quote, QuoteOrder, QuoteOutcome, Venue } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { blockNumberView, readEach } from '../multicall.ts'
import type { MarketDeps } from './deps.ts'
import { openPoolAddresses } from './pool-addresses.ts'
import { SLOT0, buyDataV3, getPoolCall, isEmptied, quoteCall, sellDataV3 } from './router-v3.ts'
import { pathOf, venueOf } from './venue-of.ts'
import { uintOf, wordsOf } from './words.ts'

/** amountOut, price after, ticks crossed, gas. Source: IQuoterV2. */
const QUOTE_WORDS = 4
/** A pool's price and six more. Source: IUniswapV3PoolState. */
const SLOT0_WORDS = 7
const FEE_WHOLE = 1_000_000n
const BASIS_POINTS = 10_000n
/** Prices are square roots with 96 bits behind the point. */
const PRICE_SCALE = 2n ** 192n

interface Offer {
  readonly pool: Address
  readonly fee: bigint
  readonly amountOut: bigint
  readonly impact: bigint
}

/** Pools of Uniswap V3 with the wrapped native currency: of the configured fee tiers the one that gives most. */
export function openUniswapV3(
  deps: MarketDeps,
  market: Extract<MarketConfig, { venue: 'uniswap-v3' }>,
): Venue {
  const { transport, newest } = deps
  const router = requireAddress(market.router)
  const quoter = requireAddress(market.quoter)
  const wrapped = requireAddress(market.wrappedNative)
  const poolOf = openPoolAddresses(transport, requireAddress(market.factory))
  const tiers = market.feeTiers.map(BigInt)

  async function quote(order: QuoteOrder): Promise<QuoteOutcome> {
    const path = pathOf(order, wrapped)
    const found = await Promise.all(
      tiers.map(async (fee) => ({ fee, pool: await poolOf(getPoolCall(path, fee)) })),
    )
    const pools = found.flatMap(({ fee, pool }) => (pool === undefined ? [] : [{ fee, pool }]))
    if (pools.length === 0) return { ok: false, refusal: 'no_market' }
    const asked = pools.flatMap(({ fee, pool }) => [
      { target: quoter, data: quoteCall(path, order.amountIn, fee) },
      { target: pool, data: SLOT0 },
    ])
    const [number, ...answers] = await transport.read(readEach([blockNumberView, ...asked]))
    const [word] = wordsOf(number, 1) ?? []
    if (word === undefined) throw malformed('block number', 'nothing')
    const height = uintOf(word)
    newest.note(height)
    const offers = pools.flatMap(({ fee, pool }, index): readonly Offer[] => {
      const [given, after] = wordsOf(answers[2 * index], QUOTE_WORDS) ?? []
      const out = uintOf(given)
      // The quoter tells what a pool gives before its liquidity ends, and not that it took a part only.
      if (out === 0n || isEmptied(path, uintOf(after))) return []
      const root = uintOf(wordsOf(answers[2 * index + 1], SLOT0_WORDS)?.[0])
      const impact = impactOf({ amountIn: order.amountIn, out, fee, root, path })
      return [{ pool, fee, amountOut: out, impact }]
    })
    const [best] = offers.toSorted((a, b) =>
      a.amountOut < b.amountOut ? 1 : a.amountOut > b.amountOut ? -1 : 0,
    )
    if (best === undefined) return { ok: false, refusal: 'insufficient_liquidity' }
    return {
      ok: true,
      quote: {
        ...order,
        venue: 'uniswap-v3',
        amountOut: best.amountOut,
        priceImpactBasisPoints: best.impact,
        height,
        expiresAtMilliseconds: null,
        route: { pool: best.pool, router, fee: `${best.fee}` },
      },
    }
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
        path: pathOf(order.quote, wrapped),
        fee: feeOf(order.quote),
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
function impactOf({
  amountIn,
  out,
  fee,
  root,
  path: [tokenIn, tokenOut],
}: {
  readonly amountIn: bigint
  readonly out: bigint
  readonly fee: bigint
  readonly root: bigint
  readonly path: readonly [Address, Address]
}): bigint {
  const square = root * root
  const taken = amountIn * (FEE_WHOLE - fee)
  const [ideal, got] =
    BigInt(tokenIn) < BigInt(tokenOut)
      ? [taken * square, out * FEE_WHOLE * PRICE_SCALE]
      : [taken * PRICE_SCALE, out * FEE_WHOLE * square]
  return ideal <= got ? 0n : ((ideal - got) * BASIS_POINTS) / ideal
}

function feeOf({ route }: Quote): bigint {
  const fee = route['fee'] ?? ''
  if (!/^[0-9]{1,7}$/.test(fee)) throw new Error('a quote without its fee tier')
  return BigInt(fee)
}
