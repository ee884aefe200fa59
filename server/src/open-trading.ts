import type { Random } from './kernel/random.ts'
import type { ChainDirectory } from './chains/directory.ts'
import { findWallets } from './custody/store.ts'
import type { AskedWallet } from './custody/store.ts'
import type { Route } from './http/route.ts'
import { limits } from './kernel/limits.ts'
import { openCarrier } from './payments/carrier.ts'
import type { CarryDeps } from './payments/carry.ts'
import { shareReads } from './store/shared-reads.ts'
import { tradingRoutes } from './trading/routes.ts'
import { openTokens } from './trading/tokens.ts'
import { openBuildQueue } from './transactions/build-queue.ts'
import { openTradeBuilder } from './transactions/build-trade.ts'
import type { BuildDeps } from './transactions/build-transaction.ts'

/** Puts trading together: what a trade is, and the payments that carry it. */
export function openTrading(
  deps: Omit<CarryDeps, 'walletOf'> &
    BuildDeps & { readonly directory: ChainDirectory; readonly random: Random },
): { readonly routes: readonly Route[] } {
  const { store } = deps
  const walletOf = shareReads({
    read: (asked: readonly AskedWallet[]) => findWallets(store, asked),
    underWayMax: limits.walletReadsUnderWayMax,
    sharedMax: limits.walletReadsSharedMax,
  })
  const carrier = openCarrier({ ...deps, walletOf })
  const builder = openTradeBuilder({ ...deps, queue: openBuildQueue(deps) })
  return { routes: tradingRoutes({ ...deps, carrier, builder, tokens: openTokens(deps) }) }
}
