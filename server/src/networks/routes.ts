import { endpoints } from '@florin/wire/endpoints.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { followedNetworks } from '../sender/follower-store.ts'
import type { Store } from '../store/postgres.ts'
import type { CurrentFees } from './current-fees.ts'
import { networkFacts } from './view.ts'

export interface NetworkRoutesDeps {
  readonly store: Store
  readonly networks: readonly NetworkConfig[]
  readonly fees: CurrentFees
  /** Whether a node and the database have lately answered a whole round of following. */
  isFollowed(network: NetworkId): boolean
}

/** GET /networks. How far a network is followed is read from the database: another instance may be the one that follows. */
export function networkRoutes({
  store,
  networks,
  fees,
  isFollowed,
}: NetworkRoutesDeps): readonly Route[] {
  return [
    route(endpoints.listNetworks, async () => {
      const [followed, known] = await Promise.all([
        store.inTransaction('service', followedNetworks),
        Promise.all(networks.map(({ network }) => fees.of(network))),
      ])
      return {
        body: {
          networks: networks.map((config, index) => {
            const { network } = config
            const at = followed.get(network)
            return networkFacts(config, {
              height: at?.height ?? null,
              isHealthy: at !== undefined && !at.isHalted && isFollowed(network),
              fees: known[index] ?? null,
            })
          }),
        },
      }
    }),
  ]
}
