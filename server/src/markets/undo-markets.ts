import { findParting } from '../chains/find-parting.ts'
import { remakeCandles } from './candle-store.ts'
import { hubsOf } from './hubs.ts'
import { MarketsMoved } from './market-deps.ts'
import type { MarketDeps } from './market-deps.ts'
import {
  marketBlocks,
  moveMarketCursor,
  storeMarketBlocks,
  undoMarketBlocks,
} from './market-follower-store.ts'
import type { MarketCursor } from './market-follower-store.ts'
import { latestPrices } from './price-store.ts'
import { openSayer } from './say.ts'
import { say } from './store-round.ts'
import { knownTokens } from './token-store.ts'
import { undoMarkets } from './trade-store.ts'
import { usdRate } from './usd.ts'

/**
 * Finds where the remembered blocks and the chain part, removes everything above, makes its candles anew and takes back what was said of it.
 * Other than where money is followed, a block that was final and is gone stops nothing: what markets showed is only shown.
 */
export async function undoMarketReorg(
  deps: MarketDeps,
  cursor: MarketCursor,
): Promise<MarketCursor> {
  const { chain, store, clock, random, log, told } = deps
  const { network } = cursor
  const { isAnew, ...ancestor } = await findAncestor(deps, cursor)
  log.info({ network, from: String(cursor.height), to: String(ancestor.height) }, 'markets undone')
  return await store.inTransaction('service', async (tx) => {
    const finalizedHeight =
      cursor.finalizedHeight < ancestor.height ? cursor.finalizedHeight : ancestor.height
    const next = await moveMarketCursor(tx, cursor, { ...ancestor, finalizedHeight })
    const above = isAnew ? ancestor.height - 1n : ancestor.height
    await undoMarketBlocks(tx, network, above)
    if (isAnew) {
      await storeMarketBlocks(tx, network, [{ height: ancestor.height, hash: ancestor.blockHash }])
    }
    const undone = await undoMarkets(tx, network, above)
    await remakeCandles(tx, network, undone.trades)
    const mints = [...undone.repriced, ...undone.pools.map(({ mint }) => mint)]
    const known = await knownTokens(tx, network, mints)
    const tokens = new Map(known.map((token) => [token.mint, token]))
    const now = clock.nowMilliseconds()
    const sayer = openSayer({ config: chain.config, tokens, random, nowMilliseconds: now })
    const rate = await usdRate(tx, chain.config)
    const prices = await latestPrices(tx, network, undone.repriced, hubsOf(chain.config))
    const retracted = { retracted: true } as const
    await say(tx, deps, [
      ...undone.trades.map((trade) => sayer.trade(trade, rate, retracted)),
      ...undone.pools.map((pool) => sayer.opened(pool, retracted)),
      ...told.due(prices, now).map((price) => sayer.price(price, rate, next.height)),
    ])
    return next
  })
}

/** The newest remembered block that the chain still has; where there is none (`isAnew`), one to begin at again. */
async function findAncestor(
  { chain, store }: MarketDeps,
  { network }: MarketCursor,
): Promise<{ readonly height: bigint; readonly blockHash: string; readonly isAnew: boolean }> {
  const remembered = await store.inTransaction('service', (tx) => marketBlocks(tx, network))
  const lowest = remembered.at(-1)
  if (lowest === undefined) throw new Error('no block is remembered')
  const { ancestor, isGone } = await findParting(chain, remembered)
  if (!isGone) throw new MarketsMoved('the node is behind what was read before')
  if (ancestor !== undefined) return { ...ancestor, isAnew: false }
  const [anew] = await chain.blocks(lowest.height, 1)
  if (anew === undefined) throw new MarketsMoved('no common block is remembered')
  return { height: anew.height, blockHash: anew.hash, isAnew: true }
}
