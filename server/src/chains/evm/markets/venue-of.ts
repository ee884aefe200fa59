import { limits } from '../../../kernel/limits.ts'
import type { Address } from '../../chain.ts'
import type { Quote, QuoteOrder, QuoteOutcome, SwapOrder, Venue, VenueName } from '../../venue.ts'
import { preparationOf } from '../prepare.ts'
import { commitmentData } from '../transfer.ts'
import type { MarketDeps } from './deps.ts'
import { planSwap } from './plan-swap.ts'
import type { Swap } from './plan-swap.ts'
import { routeOf } from './token-route.ts'

/** What tells one kind of pool and router from another. */
export interface Exchange {
  readonly name: VenueName
  readonly router: Address
  readonly wrapped: Address
  /** Whether the router holds the minimum against what arrives; else against what the pool says to have given. */
  readonly looksAtArrival: boolean
  quote(order: QuoteOrder): Promise<QuoteOutcome>
  /** The router's call, hex without 0x; after the deadline, unix seconds of the chain, it refuses. */
  swapData(order: SwapOrder, deadlineSeconds: bigint): string
}

/** A venue of pools and a router: native currency goes in and out, and is wrapped in between. */
export function venueOf(deps: MarketDeps, exchange: Exchange): Venue {
  const { name, router, wrapped, quote } = exchange

  const swapOf = async (order: SwapOrder): Promise<Swap> => {
    const { side, token, amountIn } = order.quote
    const { pools } = routeOf(order.quote, wrapped)
    const { timeSeconds } = await deps.facts.latest()
    const deadline = timeSeconds + BigInt(limits.swapValidSeconds)
    const data = Buffer.concat([
      Buffer.from(exchange.swapData(order, deadline), 'hex'),
      // Routers read their arguments and nothing behind them.
      commitmentData(order.commitment),
    ])
    return {
      call: { to: router, value: side === 'buy' ? amountIn : 0n, data },
      pools: BigInt(pools.length),
      spending: side === 'buy' ? null : { token: token.mint, spender: router, pool: pools[0] },
      arrival:
        side === 'sell' || exchange.looksAtArrival
          ? null
          : { asset: token.mint, to: order.wallet, minimum: order.minimumOut },
      isPriceGone: async (height) => {
        // What was read before that block is not asked again otherwise.
        deps.newest.note(height)
        const now = await quote(order.quote)
        const ways = now.ok ? [now.quote, ...(now.others ?? [])] : []
        const same = ways.find(({ route }) => route['hub'] === order.quote.route['hub'])
        return same === undefined || same.amountOut < order.minimumOut
      },
    }
  }
  const counterpartyOf = (traded: Quote): Address =>
    traded.side === 'buy' ? router : routeOf(traded, wrapped).pools[0]

  return {
    name,
    quote,
    draft: async (order) => {
      // Facts that drafts share may be of an earlier block, and then the one that the balances are of could not be named.
      const { facts: _, ...fresh } = deps
      const planned = await planSwap(fresh, order, await swapOf(order))
      if (!planned.ok) return planned
      const { allowance, ...rest } = planned.plan
      const counterparty = counterpartyOf(order.quote)
      return { ok: true, draft: { ...rest, carriesCommitment: true }, counterparty, allowance }
    },
    prepare: async (order) => {
      const waiting = { ...deps, noncesOf: 'pending' } as const
      const swap = await swapOf(order)
      const [planned, latest] = await Promise.all([
        planSwap(waiting, order, swap),
        deps.facts.latest(),
      ])
      if (!planned.ok) return planned
      const { terms, allowance, balances, laneLatest: nextNonce } = planned.plan
      const facts = { balances, nextNonce, height: latest.height }
      return {
        ok: true,
        counterparty: counterpartyOf(order.quote),
        preparation: preparationOf(deps, terms, { ...facts, carriesCommitment: true }),
        allowance:
          allowance === null
            ? null
            : preparationOf(deps, allowance.terms, { ...facts, carriesCommitment: false }),
      }
    },
    received: ({ wallet, quote: traded, transfers }) => {
      const pool = routeOf(traded, wrapped).pools.at(-1)
      const came = transfers.filter(({ asset, from, to }) =>
        traded.side === 'buy'
          ? asset === traded.token.mint && to === wallet && from !== wallet
          : // The router gives on what the pool gave it, unwrapped, and that leaves no log of a transfer.
            asset === wrapped && from === pool && to === router,
      )
      return came.length === 0 ? null : came.reduce((sum, { amount }) => sum + amount, 0n)
    },
    taken: ({ wallet, quote: traded, transfers }) => {
      const [pool] = routeOf(traded, wrapped).pools
      const [payer, asset] = traded.side === 'buy' ? [router, wrapped] : [wallet, traded.token.mint]
      const went = transfers.filter(
        (each) => each.asset === asset && each.from === payer && each.to === pool,
      )
      return went.length === 0 ? null : went.reduce((sum, { amount }) => sum + amount, 0n)
    },
  }
}

/** The outcome of a quote over all ways that there are, the one that gives most first. */
export function outcomeOf(quotes: readonly Quote[]): QuoteOutcome {
  const [quote, ...others] = quotes.toSorted(byAmountOut)
  if (quote === undefined) return { ok: false, refusal: 'insufficient_liquidity' }
  return { ok: true, quote, others }
}

/** The most first; of equals the first stays first. */
export function byAmountOut(
  { amountOut: a }: Pick<Quote, 'amountOut'>,
  { amountOut: b }: Pick<Quote, 'amountOut'>,
): number {
  return a < b ? 1 : a > b ? -1 : 0
}
