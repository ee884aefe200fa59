import type { NetworkId } from '@florin/wire/network.ts'
import type { Windows } from './access/windows.ts'
import type { Chain } from './chains/chain.ts'
import type { ChainDirectory } from './chains/directory.ts'
import type { NodesInUse } from './http/health.ts'
import type { Route } from './http/route.ts'
import type { Clock } from './kernel/clock.ts'
import type { Log } from './kernel/log.ts'
import type { NetworkConfig } from './kernel/network-config.ts'
import { openCurrentFees } from './networks/current-fees.ts'
import { networkRoutes } from './networks/routes.ts'
import { startSummingHours } from './payments/sum-hours.ts'
import { openRequestCounts } from './reports/count-requests.ts'
import type { RequestCounts } from './reports/count-requests.ts'
import { reportRoutes } from './reports/routes.ts'
import type { Driver } from './sender/driver.ts'
import type { Store } from './store/postgres.ts'

/** What tells how networks and accounts do, with the counting that it needs. */
export function openReports({
  directory,
  drivers,
  ...deps
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly networks: readonly NetworkConfig[]
  readonly directory: ChainDirectory
  readonly drivers: ReadonlyMap<NetworkId, Driver>
  readonly windows: Windows
}): RequestCounts & { readonly routes: readonly Route[] } {
  const fees = openCurrentFees({ ...deps, chains: directory.all })
  const isFollowed = (network: NetworkId) => drivers.get(network)?.state().following ?? false
  const counts = openRequestCounts(deps)
  const stopSumming = startSummingHours(deps)
  return {
    ...counts,
    stop: async () => {
      await Promise.all([counts.stop(), stopSumming()])
    },
    routes: [
      ...networkRoutes({ ...deps, fees, isFollowed }),
      ...reportRoutes({ ...deps, directory, fees, isFollowed }),
    ],
  }
}

/** The nodes of each network and how they do, for those who may ask. */
export function nodesOf(chains: readonly Chain[]): ReturnType<NodesInUse> {
  return Object.fromEntries(
    chains.map(({ config, nodes }) => [
      config.network,
      (nodes?.() ?? []).map(({ node, host, state }) => ({ node, host, state })),
    ]),
  )
}
