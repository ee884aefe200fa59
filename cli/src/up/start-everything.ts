import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { writeDatabaseFile } from '../database-file.ts'
import { readSandboxFile } from '../sandbox-file.ts'
import type { SandboxFile } from '../sandbox-file.ts'
import { writeObject } from '../small-json.ts'
import { banner } from './banner.ts'
import { fundWallets } from './fund.ts'
import { readNetworksFile } from './networks.ts'
import { runDatabase } from './run-database.ts'
import { runSandbox } from './run-sandbox.ts'
import { openDoor, openOwnService } from './run-service.ts'
import { sandboxNetwork } from './sandbox-network.ts'
import type { SandboxReady } from './sandbox-ready.ts'
import { seedKeys } from './seed-keys.ts'
import { seedWallets } from './seed-wallets.ts'
import type { Workshop } from './workshop.ts'

/** Starts every part and gives the banner. With a networks file its networks take the sandbox's place. */
export async function startEverything(
  workshop: Workshop,
  onReady: (baseUrl: string) => Promise<void>,
): Promise<string> {
  const { config, paths, progress, ending } = workshop
  const start = performance.now()
  const given = config.networksFile === null ? null : await readNetworksFile(config.networksFile)
  // Together: they need nothing of each other and each takes about half of the time.
  const [database, sandbox] = await both(
    runDatabase(workshop),
    given === null ? runSandbox(workshop) : Promise.resolve(null),
  )
  ending.check()
  const networks = given ?? (sandbox === null ? [] : [sandboxNetwork(sandbox)])
  const { keyFile } = config
  await writeDatabaseFile(paths.database, { url: database, keyFile, sandbox: sandbox !== null })
  if (sandbox === null) {
    const baseUrl = await progress.step('starting the service', async () =>
      openDoor(workshop, await openOwnService(workshop, networks, database)),
    )
    await onReady(baseUrl)
    return `Florin is ready on ${baseUrl}\nMake a key: florin keys create --name first\n`
  }
  const file = await progress.step('starting the service', () =>
    startWithSandbox(workshop, { networks, database, sandbox }),
  )
  await writeObject(paths.sandboxFile, file)
  await onReady(file.baseUrl)
  return banner(file, paths.sandboxFile, (performance.now() - start) / 1000)
}

async function startWithSandbox(
  workshop: Workshop,
  {
    networks,
    database,
    sandbox,
  }: { networks: readonly NetworkConfig[]; database: Secret; sandbox: SandboxReady },
): Promise<SandboxFile> {
  const { paths, ending } = workshop
  const service = await openOwnService(workshop, networks, database)
  const earlier = await readSandboxFile(paths.earlierSandboxFile)
  const { accountId, apiKeys } = await seedKeys(service, earlier?.apiKeys)
  const wallets = await seedWallets(service, accountId, sandbox)
  const [baseUrl] = await both(
    openDoor(workshop, service),
    fundWallets(
      sandbox,
      wallets.map(({ address }) => address),
    ),
  )
  ending.check()
  const { evm, faucetUrl } = sandbox
  return {
    baseUrl,
    pid: process.pid,
    apiKeys,
    networks: { evm },
    wallets,
    faucet: { url: faucetUrl },
  }
}

/** Waits for both even when one fails, so that what the other one started is known and can be closed. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}
