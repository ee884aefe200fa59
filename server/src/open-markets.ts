import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain, Head } from './chains/chain.ts'
import type { ChainDirectory } from './chains/directory.ts'
import { openMarketFeed } from './events/market-feed.ts'
import type { MarketFeed } from './events/market-feed.ts'
import type { Route } from './http/route.ts'
import type { Clock } from './kernel/clock.ts'
import { limits } from './kernel/limits.ts'
import type { Log } from './kernel/log.ts'
import type { Random } from './kernel/random.ts'
import { forgetCandles } from './markets/candle-store.ts'
import { tokenText } from './markets/know-tokens.ts'
import { hasMarkets } from './markets/market-deps.ts'
import { startMarketDriver } from './markets/market-driver.ts'
import { startMarketRelay } from './markets/market-relay.ts'
import { tradedMints } from './markets/token-store.ts'
import { forgetTrades } from './markets/trade-store.ts'
import { portfolioRoutes } from './portfolio/routes.ts'
import { candleRoutes } from './prices/routes.ts'
import type { Listener } from './store/listen.ts'
import type { Store, Tx } from './store/postgres.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { openTokenBook } from './tokens/token-facts.ts'
import { mintsTradedFrom } from './trading/wallet-mints-store.ts'

/** What the networks' markets show, put together: what the edge, the sockets and the end of the service need of it. */
export interface Markets {
  readonly routes: readonly Route[]
  readonly feed: MarketFeed
  /** How far each network's markets were read by this instance; null while another reads them. */
  heights(): ReadonlyMap<NetworkId, bigint | null>
  /** A network's head, as whoever follows its payments was told it. */
  noteHead(network: NetworkId, head: Head): void
  /** Of these addresses those that are tokens. */
  areTokens(addresses: readonly Address[]): Promise<ReadonlySet<string>>
  stop(): Promise<void>
}

export function openMarkets(deps: {
  readonly store: Store
  readonly listener: Listener
  readonly directory: ChainDirectory
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  readonly instance: string
}): Markets {
  const { store, listener, directory, clock, log } = deps
  const chains = [...directory.all.values()].filter(hasMarkets)
  const feed = openMarketFeed()
  const { isHeard } = feed
  const drivers = new Map(
    chains.map((chain) => [chain.config.network, startMarketDriver({ ...deps, chain, isHeard })]),
  )
  const networks = [...drivers.keys()]
  const relay = startMarketRelay({ store, listener, feed, networks, clock, log })
  const book = openTokenBook({ clock })
  const isToken = async (chain: Chain, mint: Address) =>
    (await book.facts(chain, mint)) !== undefined

  return {
    routes: [
      ...tokenRoutes({ store, clock, directory, book }),
      ...candleRoutes({ store, clock, directory, isToken }),
      ...portfolioRoutes({
        ...{ store, directory },
        tradedFrom: (accountId, { config: { network } }, walletAddress) =>
          store.inTransaction(accountId, (tx) => {
            const count = limits.portfolioTokensMax
            return mintsTradedFrom(tx, { accountId, network, walletAddress, count })
          }),
        symbolOf: (chain, mint) => tokenText(book.remembered(chain, mint)?.symbol ?? null),
      }),
    ],
    feed,
    noteHead: (network, head) => drivers.get(network)?.noteHead(head),
    heights: () => new Map([...drivers].map(([network, driver]) => [network, driver.height()])),
    areTokens: async (addresses) => {
      if (addresses.length === 0) return new Set()
      const traded = await store.inTransaction('service', (tx) => tradedMints(tx, addresses))
      const others = addresses.filter((address) => !traded.has(address))
      const asked = await Promise.all(
        others.map((address) => isSomeToken(chains, isToken, address)),
      )
      return new Set([...traded, ...others.filter((_, index) => asked[index])])
    },
    stop: async () => {
      await Promise.all([...drivers.values()].map((driver) => driver.stop()))
      await relay.stop()
    },
  }
}

/** Whether any of the chains that such an address belongs to has a token there. */
async function isSomeToken(
  chains: readonly Chain[],
  isToken: (chain: Chain, mint: Address) => Promise<boolean>,
  address: Address,
): Promise<boolean> {
  for (const chain of chains) {
    if (chain.parseAddress(address) !== undefined && (await isToken(chain, address))) return true
  }
  return false
}

const DAY_MILLISECONDS = 86_400_000

/** Removes trades and candles that have had their time, a bounded number at a time. Says whether more may wait. */
export async function forgetOldTrades(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  const short = nowMilliseconds - limits.marketTradeDays * DAY_MILLISECONDS
  const long = nowMilliseconds - limits.marketCandleDays * DAY_MILLISECONDS
  const removed = [
    await forgetTrades(tx, short, limits.marketForgetMax),
    await forgetCandles(tx, 60, short, limits.marketForgetMax),
    await forgetCandles(tx, 3_600, long, limits.marketForgetMax),
    await forgetCandles(tx, 86_400, long, limits.marketForgetMax),
  ]
  return Math.max(...removed) >= limits.marketForgetMax
}
