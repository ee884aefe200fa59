import { createServer } from 'node:net'
import { once } from 'node:events'
import { dataPaths } from '@florin/cli/data-paths.ts'
import { readDatabaseFile } from '@florin/cli/database-file.ts'
import type { SandboxFile } from '@florin/cli/sandbox-file.ts'
import { openClient } from '../e2e/actors/client.ts'
import type { Client } from '../e2e/actors/client.ts'
import { startFlorin } from '../e2e/actors/florin.ts'
import { systemNode } from '../e2e/actors/system-node.ts'
import { openDatabase } from './database.ts'
import type { BenchDatabase } from './database.ts'
import type { PlannedRequest } from './load/plan.ts'

export type Family = 'evm' | 'solana'

/** A whole `florin up` of its own, on a new data directory. */
export interface Installation {
  readonly baseUrl: string
  /** The service's process. */
  readonly pid: number
  /** The enterprise key: no request of a bench is held back by its plan. */
  readonly apiKey: string
  readonly client: Client
  /** What the EVM chain trades. */
  readonly tokens: SandboxFile['networks']['evm']['tokens']
  /** JSON-RPC of the EVM chain. */
  readonly rpcUrl: string
  readonly database: BenchDatabase
  /** JSON-RPC calls that the service has made so far. */
  nodeCalls(): Promise<number>
  /** New wallets of the account, with plenty of their native currency. */
  newWallets(family: Family, count: number): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Addresses that no wallet of the service has: what is paid to them comes back as no deposit. */
export const OUTSIDERS = {
  evm: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  solana: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
} as const

const FUNDS = { evm: '1000', solana: '100' } as const

/** Starts one as a newcomer does, through the launcher, with further settings; it ends with this process. */
export async function startInstallation(
  env: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const metricsPort = await freePort()
  // Options of the pinned runtime, which the machine's own may not know.
  const launcherNode = env['NODE_OPTIONS'] === undefined ? systemNode() : undefined
  const florin = await startFlorin({
    env: { ...env, FLORIN_METRICS_PORT: `${metricsPort}` },
    ...(launcherNode === undefined ? {} : { launcherNode }),
  })
  const { info, baseUrl } = florin
  const access = await readDatabaseFile(dataPaths(florin.dataDirectory).database)
  if (access === undefined) throw new Error('florin up left no database.json')
  const database = await openDatabase(access.url.reveal())
  const apiKey = info.apiKeys.enterprise
  const client = openClient(baseUrl, apiKey)
  const fund = async (family: Family, address: string): Promise<void> => {
    const { network } = info.networks[family]
    const body = JSON.stringify({ address, network, asset: 'native', amount: FUNDS[family] })
    const answer = await fetch(info.faucet.url, { method: 'POST', body })
    if (!answer.ok) throw new Error(`the faucet answered ${answer.status}`)
  }
  return {
    baseUrl,
    pid: info.pid,
    apiKey,
    client,
    tokens: info.networks.evm.tokens,
    rpcUrl: info.networks.evm.rpcUrl,
    database,
    nodeCalls: async () => {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
      const counted = (await answer.text()).matchAll(/^florin_node_calls_total\{.*\} (\d+)$/gm)
      return [...counted].reduce((sum, [, count]) => sum + Number(count), 0)
    },
    newWallets: async (family, count) => {
      const made = Array.from({ length: count }, async () => {
        const { status, body } = await client.post('/wallets', { family })
        const address = body['address']
        if (typeof address !== 'string') throw new Error(`no wallet: ${status}`)
        await fund(family, address)
        return address
      })
      return await Promise.all(made)
    },
    stop: async () => {
      await database.close()
      await florin.stop()
      await florin.discard()
    },
  }
}

/** Sends of native currency from each wallet in turn to one address that is not the service's. */
export function sendsFrom(wallets: readonly string[], recipient: string): PlannedRequest[] {
  return wallets.map((walletAddress) => ({
    method: 'POST',
    path: '/payment/send',
    body: JSON.stringify({
      walletAddress,
      recipientAddress: recipient,
      // More than the rent of a new account on Solana.
      amount: 0.001,
      waitFor: 'submitted',
    }),
  }))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port is free')
  return address.port
}
