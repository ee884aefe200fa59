import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain, Head } from './chains/chain.ts'
import { openSigner } from './custody/signer.ts'
import { findWalletOfAddress } from './custody/store.ts'
import { openBlockPace } from './sender/block-pace.ts'
import { openChainClock } from './sender/chain-clock.ts'
import type { ChainClock } from './sender/chain-clock.ts'
import { startDriver } from './sender/driver.ts'
import type { Driver, DriverDeps } from './sender/driver.ts'
import type { OpenBroadcaster } from './sender/broadcast.ts'
import type { Store } from './store/postgres.ts'

/** What drives one network, and what its blocks say of this machine's clock. */
export type ClockedDriver = Driver & Pick<ChainClock, 'aheadMilliseconds'>

/** One driver per network. What looks at claims and builds beside the rounds is told for which chain. */
export function startDrivers(
  chains: readonly Chain[],
  {
    signing,
    watch,
    noteHead,
    ...shared
  }: Omit<
    DriverDeps,
    'chain' | 'signerOf' | 'watch' | 'noteHead' | 'noteRead' | 'noteBlock' | 'broadcaster'
  > & {
    readonly broadcaster: OpenBroadcaster
    readonly signing: Parameters<typeof openSigner>[0]
    readonly watch: (chain: Chain, finalizedHeight: bigint, stopping: AbortSignal) => Promise<void>
    readonly noteHead: (network: NetworkId, head: Head) => void
  },
): ReadonlyMap<NetworkId, ClockedDriver> {
  const signerOf = async ({ config }: Chain, address: Address) => {
    const wallet = await shared.store.inTransaction('service', (tx) =>
      findWalletOfAddress(tx, config.family, address),
    )
    return wallet && openSigner(signing, wallet, config)
  }
  const drivers = new Map(
    chains.map((chain) => {
      const { network } = chain.config
      const { looked, read, aheadMilliseconds } = openChainClock(chain.config, shared)
      const paced = openBlockPace(chain.config, shared)
      const driver = startDriver({
        ...shared,
        chain,
        noteBlock: (block) => {
          read(block)
          paced(block)
        },
        noteHead: looked,
        noteRead: (head) => noteHead(network, head),
        watch: (finalizedHeight, stopping) => watch(chain, finalizedHeight, stopping),
        signerOf: (address) => signerOf(chain, address),
      })
      return [network, { ...driver, aheadMilliseconds }]
    }),
  )
  shared.broadcaster.onAccepted((network) => drivers.get(network)?.expect())
  return drivers
}

/** Each part that payments need, and whether it answers now. */
export async function readiness(
  store: Store,
  drivers: ReadonlyMap<NetworkId, Driver>,
): Promise<ReadonlyMap<string, 'ok' | 'down'>> {
  const parts = new Map<string, 'ok' | 'down'>()
  parts.set('database', (await store.reachable()) ? 'ok' : 'down')
  for (const [network, driver] of drivers)
    parts.set(network, driver.state().following ? 'ok' : 'down')
  return parts
}
