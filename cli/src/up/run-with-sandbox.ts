import { connectChain } from '@florin/server/chains/connect.ts'
import { giveSandboxLink } from '@florin/server/people/give-link.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { readSandboxFile } from '../sandbox-file.ts'
import type { SandboxFile } from '../sandbox-file.ts'
import { firstLinkText } from '../serve/first-link.ts'
import { fundWallets } from './fund.ts'
import { awaitReady, openDoor, openOwnService } from './run-service.ts'
import { sandboxNetworks } from './sandbox-network.ts'
import type { SandboxReady } from './sandbox-ready.ts'
import { seedKeys } from './seed-keys.ts'
import { seedSettlers } from './seed-settlers.ts'
import { seedWallets } from './seed-wallets.ts'
import { together } from './together.ts'
import type { Workshop } from './workshop.ts'

/** The service on the sandbox, with an account, keys and funded wallets to begin with. */
export async function runWithSandbox(
  workshop: Workshop,
  { database, sandbox }: { database: Secret; sandbox: SandboxReady },
): Promise<SandboxFile> {
  const networks = sandboxNetworks(sandbox)
  const service = await openOwnService(workshop, networks, database)
  const earlier = await readSandboxFile(workshop.paths.earlierSandboxFile)
  const { accountId, apiKeys } = await seedKeys(service, earlier?.apiKeys)
  const wallets = await seedWallets(service, accountId, sandbox)
  const settlers = await seedSettlers(service, workshop, sandbox)
  const { evm, solana, faucetUrl } = sandbox
  const { log, clock } = workshop
  const chains = networks.map((config) => connectChain({ config, log, clock }))
  const [baseUrl] = await together(
    openDoor(workshop, service),
    awaitReady(workshop, service),
    fundWallets({ faucetUrl, chains }, wallets),
    fundWallets({ faucetUrl, chains, onlyNative: true }, [...settlers, ...sponsorsOf(sandbox)]),
  )
  const { store } = service
  const link = await giveSandboxLink(
    { store, clock, random: workshop.random },
    { accountId, baseUrl },
  )
  return {
    baseUrl,
    dashboardUrl: link.reveal(),
    pid: process.pid,
    apiKeys,
    networks: {
      evm: { ...evm, tokens: evm.tokens ?? [] },
      solana: { ...solana, tokens: solana.tokens ?? [] },
    },
    wallets,
    faucet: { url: faucetUrl },
  }
}

/** Who gives payers the gas for an approval, where the sandbox does. */
function sponsorsOf({ evm: { network, approvalWallet } }: SandboxReady): SandboxFile['wallets'] {
  if (approvalWallet === undefined) return []
  return [{ address: approvalWallet, family: 'evm', network, label: 'approvals' }]
}

/** The service alone, on networks of the operator's own. */
export async function runAlone(
  workshop: Workshop,
  { networks, database }: { networks: readonly NetworkConfig[]; database: Secret },
): Promise<{ readonly baseUrl: string; readonly firstLink: string | undefined }> {
  const service = await openOwnService(workshop, networks, database)
  const baseUrl = await openDoor(workshop, service)
  const { clock, log } = workshop
  const firstLink = await firstLinkText({ store: service.store, clock, log }, baseUrl)
  return { baseUrl, firstLink }
}
