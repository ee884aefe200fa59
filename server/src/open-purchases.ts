import type { Chain } from './chains/chain.ts'
import type { Wallet } from './custody/wallet.ts'
import type { OpenSigner } from './custody/signer.ts'
import type { Route } from './http/route.ts'
import type { Log } from './kernel/log.ts'
import { openOutbound } from './outbound/outbound.ts'
import type { OutboundOptions } from './outbound/outbound.ts'
import { openSellers } from './purchases/ask-seller.ts'
import { openPurchaseBook } from './purchases/book.ts'
import type { PurchaseBook } from './purchases/book.ts'
import type { FetchDeps } from './purchases/fetch.ts'
import { openLookUntilPaid } from './purchases/look-until-paid.ts'
import { purchaseRoutes } from './purchases/routes.ts'
import { openTooLong } from './purchases/too-long.ts'
import { watchPurchases } from './purchases/watch.ts'
import type { Store } from './store/postgres.ts'
import type { ChainDirectory } from './chains/directory.ts'

export interface PurchasesDeps extends Omit<
  FetchDeps,
  'sellers' | 'signerFor' | 'lookUntilPaid' | 'tooLong'
> {
  readonly log: Log
  /** For what is looked at beside the rounds of a chain. */
  readonly ownStore: Store
  readonly directory: ChainDirectory
  readonly sandbox: boolean
  readonly ownListeners: OutboundOptions['ownListeners']
  readonly signerFor: (wallet: Wallet, chain: Chain) => Promise<OpenSigner>
}

export interface Purchases {
  readonly book: PurchaseBook
  readonly routes: readonly Route[]
  /** Asks a chain about what nothing was seen of. */
  watch(chain: Chain, finalizedHeight: bigint, stopping: AbortSignal): Promise<void>
}

/** Paying sellers from custodial wallets. */
export function openPurchases(deps: PurchasesDeps): Purchases {
  const { store, ownStore, clock, log, sandbox, ownListeners } = deps
  const book = openPurchaseBook({ clock, log })
  const sellers = openSellers(openOutbound({ allowLoopback: sandbox, ownListeners, clock }))
  const lookUntilPaid = openLookUntilPaid({ store, clock, log, book })
  return {
    book,
    routes: purchaseRoutes({ ...deps, sellers, lookUntilPaid, tooLong: openTooLong(clock) }),
    watch: (chain, finalizedHeight, stopping) =>
      watchPurchases({ store: ownStore, clock, log, book }, chain, finalizedHeight, stopping),
  }
}
