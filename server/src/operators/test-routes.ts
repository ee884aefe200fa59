import { openAudit } from '../audit/audit.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { systemRandom as random } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import { operatorRoutes } from './routes.ts'

/** The routes of operators of a service with one network and one key that settles on it. */
export function testOperatorRoutes(scene: {
  readonly store: Store
  readonly clock: Clock
  readonly config: NetworkConfig
  readonly chain: Chain
  readonly settler: {
    readonly id: WalletId
    readonly accountId: AccountId
    readonly address: Address
  }
}): ReturnType<typeof operatorRoutes> {
  const { store, clock, config, chain, settler } = scene
  return operatorRoutes({
    store,
    clock,
    random,
    audit: openAudit({ clock, random }),
    networks: [config],
    directory: openDirectory([chain]),
    settlers: {
      of: (family) =>
        family === 'solana'
          ? []
          : [
              {
                ...settler,
                family,
                label: null,
                sealedDataKey: new Uint8Array(),
                sealedPrivateKey: new Uint8Array(),
                sandboxInstance: null,
                createdAtMilliseconds: 0,
              },
            ],
    },
    broadcaster: { broadcast: async () => [] },
    signerFor: () => Promise.reject(new Error('nothing is signed here')),
    killPoint: () => undefined,
    settings: [{ name: 'DATABASE_URL', value: 'set', secret: true }],
    driverState: () => ({
      following: true,
      height: 7n,
      headHeight: 9n,
      lastRoundMilliseconds: null,
      readAtMilliseconds: null,
    }),
    baseUrl: () => 'http://pay.example',
    diagnose: async () => ({
      findings: [],
      unasked: ['a network'],
      notTaken: ['smart wallets'],
      clocks: ['a clock'],
      lookAt: [],
    }),
  })
}
