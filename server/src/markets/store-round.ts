import type { Block } from '../chains/chain.ts'
import type { MarketFact, MarketTrade } from '../chains/market.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Tx } from '../store/postgres.ts'
import { remakeCandles } from './candle-store.ts'
import { storeMarketEvents } from './event-store.ts'
import type { NewMarketEvent } from './event-store.ts'
import type { MarketDeps } from './market-deps.ts'
import { storeHubStates } from './hub-store.ts'
import { hubsOf } from './hubs.ts'
import { moveMarketCursor, storeMarketBlocks } from './market-follower-store.ts'
import type { MarketCursor } from './market-follower-store.ts'
import { latestPrices } from './price-store.ts'
import { ratioOf } from './price.ts'
import type { Ratio } from './price.ts'
import { openSayer } from './say.ts'
import { storeTokens } from './token-store.ts'
import type { KnownToken } from './token-store.ts'
import { storePools, storeReserves, storeTrades } from './trade-store.ts'
import type { PricedTrade } from './trade-store.ts'
import { usdRate } from './usd.ts'
import { marketName } from './wake-name.ts'

/** What a round has read. */
export interface MarketRound {
  readonly blocks: readonly Block[]
  readonly facts: readonly MarketFact[]
  /** Of every fact. */
  readonly tokens: ReadonlyMap<string, KnownToken>
  readonly finalizedHeight: bigint
  /** Near enough to the head to be told to those who listen. */
  readonly isLive: boolean
}

/** Everything that some blocks showed, what is to be said of it, and the cursor behind them, in one transaction. */
export async function storeMarketRound(
  deps: MarketDeps,
  cursor: MarketCursor,
  round: MarketRound,
): Promise<MarketCursor> {
  const { chain, store, clock, random, told, shown } = deps
  const { network } = cursor
  const { facts, tokens } = round
  const now = clock.nowMilliseconds()
  if (facts.length > 0) shown?.()
  return await store.inTransaction('service', async (tx) => {
    const next = await moveOn(tx, cursor, round)
    const events: NewMarketEvent[] = []
    const sayer = openSayer({ config: chain.config, tokens, random, nowMilliseconds: now })
    const opened = facts.filter((fact) => fact.kind === 'opened')
    const pools = await storePools(tx, network, opened)
    await storeReserves(
      tx,
      network,
      facts.filter((fact) => fact.kind === 'reserves'),
    )
    await storeHubStates(
      tx,
      network,
      facts.filter((fact) => fact.kind === 'hub'),
    )
    const trades = await storeTrades(tx, network, pricedTrades(facts))
    if (facts.length > 0) {
      await storeTokens(tx, network, [...tokens.values()], now)
      await remakeCandles(tx, network, trades)
    }
    if (!round.isLive) return next
    const rate = facts.length === 0 ? null : await usdRate(tx, chain.config)
    for (const pool of opened) {
      if (pools.has(`${pool.market} ${pool.mint}`)) events.push(sayer.opened(pool))
    }
    for (const trade of trades) events.push(sayer.trade(trade, rate))
    const prices = await latestPrices(tx, network, [...tokens.keys()], hubsOf(chain.config))
    for (const price of told.due(prices, now)) events.push(sayer.price(price, rate, next.height))
    await say(tx, deps, events)
    return next
  })
}

/** Hands events to whoever listens, on every instance, when the transaction commits. */
export async function say(
  tx: Tx,
  { chain }: Pick<MarketDeps, 'chain'>,
  events: readonly NewMarketEvent[],
): Promise<void> {
  if (events.length === 0) return
  await storeMarketEvents(tx, chain.config.network, events)
  await notifyChanged(tx, [marketName(chain.config.network)])
}

async function moveOn(
  tx: Tx,
  cursor: MarketCursor,
  { blocks, finalizedHeight }: MarketRound,
): Promise<MarketCursor> {
  const last = blocks.at(-1)
  if (last === undefined) return cursor
  const final = finalizedHeight > cursor.finalizedHeight ? finalizedHeight : cursor.finalizedHeight
  const to = {
    height: last.height,
    blockHash: last.hash,
    finalizedHeight: final < last.height ? final : last.height,
  }
  const next = await moveMarketCursor(tx, cursor, to)
  await storeMarketBlocks(tx, cursor.network, blocks)
  return next
}

/**
 * Trades with the price of their market after them: its reserves where the same transaction shows them, which no dust can bend, else what
 * was paid. One with nothing on a side has no price and is none.
 */
function pricedTrades(facts: readonly MarketFact[]): readonly PricedTrade[] {
  const shown = new Map<string, Ratio>()
  for (const fact of facts) {
    const ratio = fact.kind === 'reserves' ? ratioOf(fact.native, fact.token) : undefined
    if (ratio !== undefined) shown.set(placeOf(fact), ratio)
  }
  return facts.flatMap((fact): readonly PricedTrade[] => {
    if (fact.kind !== 'trade') return []
    const paid = ratioOf(fact.nativeAmount, fact.tokenAmount)
    return paid === undefined ? [] : [{ ...fact, price: shown.get(placeOf(fact)) ?? paid }]
  })
}

function placeOf({
  transactionHash,
  market,
  mint,
}: Pick<MarketTrade, 'transactionHash' | 'market' | 'mint'>): string {
  return `${transactionHash} ${market} ${mint}`
}
