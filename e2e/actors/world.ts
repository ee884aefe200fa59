import { sandboxNetwork, solanaSandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { connectChain } from '@florin/server/chains/connect.ts'
import { diagnose } from '@florin/server/doctor/run.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import type { Family } from '@florin/wire/network.ts'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { openClient } from './client.ts'
import type { Client } from './client.ts'
import { startSandbox } from './sandbox.ts'
import type { SandboxHandle } from './sandbox.ts'
import { CANARY_KEY_TEXT, startService } from './service.ts'
import type { ServiceHandle, ServiceSettings } from './service.ts'
import { newSolanaAddress, solanaBalance } from './solana-client.ts'

/** Time for what is under way to become final on the test's chain. */
const QUIET_SECONDS = 60

type StartOptions = Omit<ServiceSettings, 'sandbox' | 'keyText' | 'databaseUrl' | 'apiKeys'>

/** A database, a chain with fault switches and a service, all real and all a test's own. */
export interface World {
  readonly database: TestDatabase
  readonly sandbox: SandboxHandle
  /** The newest service that was started. */
  service(): ServiceHandle
  client(): Client
  /** Starts the service, again or one more. Keys stay the same. */
  start(options?: StartOptions): Promise<ServiceHandle>
  /** The chain's own word on a balance, base units. */
  balanceOf(address: string, asset?: 'native' | 'USDC'): Promise<bigint>
  /** A fresh address that nobody has used. */
  newAddress(family?: Family): string
  /** Waits until nothing is under way and holds database and chain against every invariant. */
  expectSound(): Promise<void>
  /** Ends everything, after a last look at the invariants. */
  stop(): Promise<void>
}

/** Opens a world; two custodial wallets of each enabled family hold 50 of its coin and 500 USDC each. */
export async function openWorld(
  options: StartOptions & { unsound?: boolean; solana?: boolean; currencyToken?: boolean } = {},
): Promise<World> {
  const [database, sandbox] = await Promise.all([
    openTestDatabase(),
    startSandbox({ faults: true, currencyToken: options.currencyToken === true }),
  ])
  const services: ServiceHandle[] = []
  const { instance, network, rpcUrl, usdc, market } = sandbox
  const evm = sandboxNetwork({ instance, evm: { network, rpcUrl, usdc, market } })
  const named = evm.assets.map((each) =>
    each.asset === usdc ? { ...each, isCurrency: true as const } : each,
  )
  let settings: NonNullable<StartOptions['network']> =
    options.currencyToken === true ? { assets: named } : {}
  const start = async (startOptions: StartOptions = {}): Promise<ServiceHandle> => {
    settings = startOptions.network ?? settings
    const apiKeys = services[0]?.apiKeys
    const service = await startService({
      sandbox,
      databaseUrl: database.url.reveal(),
      solana: options.solana === true,
      ...startOptions,
      network: settings,
      ...(apiKeys === undefined ? {} : { apiKeys }),
    })
    services.push(service)
    return service
  }
  const service = (): ServiceHandle => {
    const newest = services.at(-1)
    if (newest === undefined) throw new Error('no service was started')
    return newest
  }
  const expectSound = async (): Promise<void> => {
    const { solana } = sandbox
    const configs = [
      { ...evm, ...settings },
      ...(options.solana === true ? [solanaSandboxNetwork({ instance, solana })] : []),
    ]
    const log = openLog('silent')
    const chains = configs.map((config) => connectChain({ config, log, clock: systemClock }))
    await until(
      'every payment has come to its end',
      async () => {
        const open = await database.store.query<{ open: string }>(
          'world_open',
          `select count(*) as open from payments where status in ('pending', 'confirmed')`,
        )
        return open[0]?.open === '0'
      },
      { seconds: QUIET_SECONDS },
    )
    const diagnosis = await diagnose({ store: database.store, chains, clock: systemClock })
    const { findings, unasked, lookAt } = diagnosis
    if (findings.length + unasked.length + lookAt.length > 0) {
      throw new Error(`invariants are broken: ${JSON.stringify(diagnosis, null, 1)}`)
    }
  }
  const stop = async (): Promise<void> => {
    try {
      if (services.length > 0 && !options.unsound) await expectSound()
    } finally {
      await end()
    }
    // In every test, whatever it is about: no secret of the installation or of a caller was ever logged.
    const logged = services.map((each) => each.log.join('\n')).join('\n')
    const secrets = [CANARY_KEY_TEXT, ...services.flatMap(({ apiKeys }) => Object.values(apiKeys))]
    if (secrets.some((secret) => logged.includes(secret))) throw new Error('a secret was logged')
  }
  const end = async (): Promise<void> => {
    await Promise.all(services.map((each) => each.stop()))
    await sandbox.stop()
    await database.close()
  }
  const chain = createPublicClient({ transport: http(sandbox.rpcUrl) })
  try {
    const first = await start(options)
    await Promise.all([
      ...first.wallets.flatMap(({ address }) => [
        sandbox.fund(address, 'native', '50'),
        sandbox.fund(address, 'USDC', '500'),
      ]),
      ...first.settlers.map(({ address }) => sandbox.fund(address, 'native', '50')),
    ])
  } catch (error) {
    await end()
    throw error
  }
  return {
    expectSound,
    database,
    sandbox,
    service,
    client: () => openClient(service().baseUrl, service().apiKeys.enterprise),
    start,
    balanceOf: (address, asset = 'native') => {
      if (!address.startsWith('0x')) return solanaBalance(sandbox.solana, address, asset)
      const account = getAddress(address)
      if (asset === 'native') return chain.getBalance({ address: account })
      const token = { address: getAddress(sandbox.usdc), abi: erc20Abi } as const
      return chain.readContract({ ...token, functionName: 'balanceOf', args: [account] })
    },
    newAddress: (family = 'evm') => (family === 'evm' ? newEvmAddress() : newSolanaAddress()),
    stop,
  }
}

function newEvmAddress(): string {
  return getAddress(`0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`)
}

/** The nth custodial wallet of a family that the world's account has. */
export function walletOf(world: World, index = 0, family: Family = 'evm'): string {
  const wallet = world.service().wallets.filter((each) => each.family === family)[index]
  if (wallet === undefined) throw new Error('there is no such wallet')
  return wallet.address
}
