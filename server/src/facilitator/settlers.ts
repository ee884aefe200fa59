import type { Family } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import { walletsById } from '../custody/store.ts'
import { keyDomain } from '../custody/wallet.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'
import { settlerWallets } from './settler-store.ts'

/** A key that was added serves everywhere after this long. */
const REFRESH_MILLISECONDS = 10_000

/** The wallets of ours that pay for settlements, as they were known some seconds ago. */
export interface Settlers {
  of(family: Family): readonly Wallet[]
  addressesOf(family: Family): ReadonlySet<Address>
  /** The next in turn that is not low, or the one that a payment names. Undefined when there is none. */
  next(
    family: Family,
    named: Address | null,
    isLow: (address: Address) => boolean,
  ): Wallet | undefined
  refresh(): Promise<void>
  stop(): Promise<void>
}

/** Those that can sign for these networks, as they are now. */
export async function readSettlers(
  store: Store,
  networks: readonly NetworkConfig[],
): Promise<readonly Wallet[]> {
  const all = await store.inTransaction('service', async (tx) =>
    walletsById(tx, await settlerWallets(tx)),
  )
  // Keys of another sandbox sign nothing here.
  return all.filter(
    ({ family, sandboxInstance }) => sandboxInstance === keyDomain(networks, family),
  )
}

/** Reads them at once, and again every ten seconds until it is stopped. */
export function openSettlers({
  store,
  clock,
  log,
  networks,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly networks: readonly NetworkConfig[]
}): Settlers {
  let wallets: readonly Wallet[] = []
  let turn = 0
  const stopping = new AbortController()

  async function refresh(): Promise<void> {
    wallets = await readSettlers(store, networks)
  }

  async function keepFresh(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await refresh()
      } catch (error) {
        // What was known stays; nobody settles with a key that is not there.
        log.warn({ err: error }, 'the settling keys were not read')
      }
      await clock.sleep(REFRESH_MILLISECONDS, stopping.signal)
    }
  }
  const ended = keepFresh()
  const of = (family: Family) => wallets.filter((wallet) => wallet.family === family)

  return {
    of,
    addressesOf: (family) => new Set(of(family).map(({ address }) => address)),
    next: (family, named, isLow) => {
      const own = of(family).filter(({ address }) => !isLow(address))
      if (named !== null) return own.find(({ address }) => address === named)
      turn += 1
      return own[turn % Math.max(own.length, 1)]
    },
    refresh,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
