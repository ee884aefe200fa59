import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { actorOf } from '../audit/actor-of.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { describeFinality } from '../kernel/network-config.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { followerStandings, haltNetwork, unhaltNetwork } from '../sender/halt-store.ts'
import type { FollowerStanding } from '../sender/halt-store.ts'
import type { OperatorDeps } from './deps.ts'

/** How networks do, and their stop and go. */
export function operatorNetworkRoutes(deps: OperatorDeps): readonly Route[] {
  const { store, networks, audit } = deps
  const standings = () => store.inTransaction('service', followerStandings)
  const demand = (name: string): NetworkConfig => {
    const config = networks.find(({ network }) => network === name)
    if (config === undefined) throw new Refusal('NOT_FOUND')
    return config
  }
  const view = async (config: NetworkConfig) =>
    networkView(deps, config, (await standings()).get(config.network))

  return [
    route(endpoints.operatorNetworks, async () => {
      const known = await standings()
      return {
        body: {
          networks: networks.map((config) => networkView(deps, config, known.get(config.network))),
        },
      }
    }),

    route(endpoints.operatorHaltNetwork, async (call) => {
      const config = demand(call.body.network)
      const { network: object } = config
      const { reason } = call.body
      await store.inTransaction('service', async (tx) => {
        await haltNetwork(tx, object, reason)
        const actor = actorOf(call)
        const fact = { accountId: null, actor, action: 'network.halted', object }
        await audit.note(tx, { ...fact, details: { reason } })
      })
      return { body: await view(config) }
    }),

    route(endpoints.operatorReleaseNetwork, async (call) => {
      const config = demand(call.body.network)
      const { network: object } = config
      await store.inTransaction('service', async (tx) => {
        if (!(await unhaltNetwork(tx, object))) return
        const actor = actorOf(call)
        await audit.note(tx, { accountId: null, actor, action: 'network.released', object })
      })
      return { body: await view(config) }
    }),
  ]
}

const numberOf = (height: bigint | null | undefined) =>
  height === null || height === undefined ? null : Number(height)

function networkView(
  { directory, driverState }: OperatorDeps,
  { network, name, family, sandbox, releaseDepth, finality, assets }: NetworkConfig,
  standing: FollowerStanding | undefined,
) {
  const state = driverState(network)
  const [height, head] = [numberOf(standing?.height), numberOf(state?.headHeight)]
  return {
    network,
    name,
    family,
    sandbox,
    releaseDepth,
    finality: describeFinality(finality),
    height,
    finalizedHeight: numberOf(standing?.finalizedHeight),
    headHeight: head,
    lag: height === null || head === null ? null : Math.max(0, head - height),
    following: state?.following ?? false,
    halted: standing?.haltedReason ?? null,
    assets: assets.map(({ symbol, asset, decimals }) => ({ symbol, asset, decimals })),
    nodes: (directory.all.get(network)?.nodes?.() ?? []).map((node) => ({
      node: node.node,
      host: node.host,
      state: node.state,
      reason: node.reason,
      height: numberOf(node.height),
    })),
  }
}
