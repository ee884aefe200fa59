import { openAudit } from './audit/audit.ts'
import type { ChainDirectory } from './chains/directory.ts'
import type { Custody } from './custody/create-wallet.ts'
import type { KnownReceivers } from './custody/known-receivers.ts'
import { installationName } from './custody/installation-name.ts'
import type { Route } from './http/route.ts'
import type { Clock } from './kernel/clock.ts'
import type { Random } from './kernel/random.ts'
import type { SecretBytes } from './kernel/secret.ts'
import type { Store } from './store/postgres.ts'
import { addressRoutes } from './wallets/address-routes.ts'
import { walletRoutes } from './wallets/routes.ts'

/** The routes of wallets, their policies and receiving addresses, put together. */
export function openWallets(deps: {
  readonly store: Store
  readonly custody: Custody
  readonly directory: ChainDirectory
  readonly clock: Clock
  readonly random: Random
  /** By which this installation is named in the text that holders of addresses sign. */
  readonly proofKey: SecretBytes
  readonly receivers: Pick<KnownReceivers, 'forget'>
}): readonly Route[] {
  const installation = installationName(deps.proofKey)
  const audited = { ...deps, installation, audit: openAudit(deps) }
  return [...walletRoutes(audited), ...addressRoutes(audited)]
}
