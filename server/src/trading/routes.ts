import type { Endpoint } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { readAmount } from '../chains/read-amount.ts'
import type { Call } from '../http/route.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { requestFingerprint } from '../idempotency/request-fingerprint.ts'
import type { Clock } from '../kernel/clock.ts'
import { parseId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { askQuote } from './ask-quote.ts'
import { buildTrade } from './build-trade.ts'
import type { BuildTradeDeps } from './build-trade.ts'
import { executeTrade } from './execute.ts'
import type { ExecuteDeps, TradeOrder, TradeResult } from './execute.ts'
import type { SwapWish } from './fit-swap.ts'
import { readTradeHistory } from './history.ts'
import { readStandings } from './read-standings.ts'
import { slippageOf, soldOf, unitsOf, walletOf } from './terms.ts'
import { tokenFor } from './token-for.ts'
import type { AskedBefore } from './token-for.ts'
import { assetOf } from './tokens.ts'
import { nativeOf } from '../kernel/network-config.ts'
import type { Tokens } from './tokens.ts'
import { findTrade } from './trade-store.ts'
import { boughtFields, quoteFields, recordFields, soldFields } from './view.ts'

export interface TradingRoutesDeps extends ExecuteDeps, BuildTradeDeps {
  readonly directory: ChainDirectory
  readonly tokens: Tokens
  readonly clock: Clock
}

/** What every way of trading is given. */
interface WishBody {
  readonly publicKey?: string | undefined
  readonly walletAddress?: string | undefined
  readonly mint: string
  readonly amount?: string
  readonly sellAll?: boolean
  readonly slippage?: string | undefined
  readonly slippageBps?: number | undefined
  readonly priorityFee?: string | undefined
  readonly network?: string | undefined
}

interface DirectBody extends WishBody {
  readonly waitFor?: TradeOrder['waitFor'] | undefined
  readonly timeout?: number | undefined
}

/** The routes of trading from wallets of ours, of quotes and of records. */
export function tradingRoutes(deps: TradingRoutesDeps): readonly Route[] {
  const { store } = deps
  return [
    route(endpoints.quoteTrade, async ({ query }) => {
      const { quote, config, ...asked } = await askQuote(deps, query)
      const nativeDecimals = nativeOf(config).decimals
      return { body: quoteFields(quote, { ...asked, nativeDecimals }, config) }
    }),
    route(endpoints.buyToken, async (call) => {
      const { result, config } = await trade(deps, call, 'buy')
      return answer(result, boughtFields(result.trade, result.state, config))
    }),
    route(endpoints.sellToken, async (call) => {
      const { result, config } = await trade(deps, call, 'sell')
      return answer(result, soldFields(result.trade, result.state, config))
    }),
    route(endpoints.buildBuy, (call) => built(deps, call, 'buy')),
    route(endpoints.buildSell, (call) => built(deps, call, 'sell')),
    route(endpoints.getTrade, async ({ params, caller: { accountId } }) => {
      const id = parseId('trd', params.tradeId)
      const found =
        id && (await store.inTransaction(accountId, (tx) => findTrade(tx, accountId, id)))
      const [standing] = found ? await readStandings(deps, accountId, [found]) : []
      if (standing === undefined) {
        throw new Refusal('NOT_FOUND', { message: 'There is no such trade.' })
      }
      return { body: recordFields(standing.trade, standing.state) }
    }),
    route(endpoints.tradeHistory, async ({ params, query, caller }) => ({
      body: await readTradeHistory(deps, caller.accountId, params.publicKey, query),
    })),
  ]
}

/** A wish as the door reads it, and what the wallet's field was called. */
async function wishOf(
  deps: Pick<TradingRoutesDeps, 'directory' | 'tokens' | 'store'>,
  body: WishBody,
  side: SwapWish['side'],
  asked: AskedBefore,
): Promise<SwapWish & { readonly walletField: string }> {
  const slippage = slippageOf(body)
  const { text, field } = walletOf(body)
  const { chain, address } = deps.directory.resolve({
    network: body.network,
    address: text,
    field,
  })
  const token = await tokenFor(deps, chain, body.mint, asked)
  const native = nativeOf(chain.config)
  return {
    ...{ chain, side, token, slippage },
    walletAddress: address,
    walletField: field,
    asset: side === 'buy' ? native : assetOf(token),
    wanted:
      side === 'sell'
        ? soldOf(body, chain.config, token)
        : { kind: 'units', units: unitsOf('amount', body.amount ?? '', chain.config, native) },
    priorityFee:
      body.priorityFee === undefined
        ? null
        : readAmount('priorityFee', body.priorityFee, chain.config, native),
  }
}

function onceOf(key: string | undefined, { body: schema }: Pick<Endpoint, 'body'>, body: unknown) {
  return key === undefined ? null : { key, fingerprint: requestFingerprint(body, schema) }
}

async function trade(
  deps: TradingRoutesDeps,
  call: Call<unknown, unknown, DirectBody>,
  side: SwapWish['side'],
) {
  const { body, caller, requestId, idempotencyKey } = call
  const { accountId } = caller
  const endpoint = side === 'buy' ? endpoints.buyToken : endpoints.sellToken
  const operation = endpoint.id
  const once = onceOf(idempotencyKey, endpoint, body)
  const wish = await wishOf(deps, body, side, { accountId, operation, once })
  const waitSeconds = body.timeout ?? limits.waitDefaultSeconds
  const result = await executeTrade(deps, {
    ...wish,
    ...{ requestId, accountId, operation, once },
    waitFor: body.waitFor ?? 'confirmed',
    waitUntilMilliseconds: deps.clock.nowMilliseconds() + waitSeconds * 1000,
    clientGone: call.clientGone,
    waitOver: call.over,
    demandAdmitted: call.demandAdmitted,
  })
  return { result, config: wish.chain.config }
}

async function built(
  deps: TradingRoutesDeps,
  { body, caller, idempotencyKey }: Call<unknown, unknown, WishBody>,
  side: SwapWish['side'],
) {
  const endpoint = side === 'buy' ? endpoints.buildBuy : endpoints.buildSell
  const asked = {
    accountId: caller.accountId,
    operation: endpoint.id,
    once: onceOf(idempotencyKey, endpoint, body),
  }
  const wish = await wishOf(deps, body, side, asked)
  const { body: fields, replayed } = await buildTrade(deps, { ...wish, ...asked })
  return answer({ replayed }, fields)
}

function answer<Body>({ replayed }: Pick<TradeResult, 'replayed'>, body: Body) {
  return { headers: replayed ? { 'idempotent-replayed': 'true' } : {}, body }
}
