import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { EvmSandbox, SolanaSandbox } from '@florin/cli/up/sandbox-ready.ts'
import type { SandboxFile } from '@florin/cli/sandbox-file.ts'
import type { ApprovalSponsoring, NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { LogLevel } from '@florin/server/kernel/log.ts'
import type { SandboxHandle } from './sandbox.ts'

const MAIN = fileURLToPath(new URL('./service-main.ts', import.meta.url))
/** One takes a second or two; on a machine with ten times more to do than it can, half a minute was not enough. */
const START_SECONDS = 90
const LOG_LINES_MAX = 2_000
/** A secret of the tests: nothing may ever print it. */
export const CANARY_KEY_TEXT = 'canary-key-encryption-text-0123456789abcdef0123456789abcdef'

/** What the service process is told; JSON in its only argument. */
export interface ServiceSettings {
  readonly databaseUrl: string
  readonly keyText: string
  readonly sandbox: {
    readonly instance: string
    readonly evm: EvmSandbox
    /** Left out, the service does not know of the Solana chain. */
    readonly solana?: SolanaSandbox
    readonly faucetUrl: string
  }
  /** Keys of an earlier run on the same database. */
  readonly apiKeys?: SandboxFile['apiKeys']
  readonly port?: number
  /** A Redis that instances share. */
  readonly redisUrl?: string
  /** `point:nth`, see kernel/kill-point.ts. */
  readonly killPoint?: string
  readonly logLevel?: LogLevel
  /** For measurements; tests check every answer. */
  readonly checkAnswers?: boolean
  /** As FLORIN_FACILITATORS lists them. */
  readonly facilitators?: string
  readonly sendBatchMax?: number
  /** How far its clock is ahead of the machine's, and so of the chain's; less than 0: behind. */
  readonly clockAheadSeconds?: number
  /** How much further it goes ahead each time that the process gets SIGUSR2. */
  readonly clockJumpSeconds?: number
  readonly network?: Partial<
    Pick<NetworkConfig, 'releaseDepth' | 'blockTimeMilliseconds' | 'assets'>
  >
  /** As a networks file says it; left out, nobody's approval is sponsored. */
  readonly approvalSponsoring?: Readonly<Record<keyof ApprovalSponsoring, string>>
  readonly solanaNetwork?: Partial<Pick<NetworkConfig, 'smartWalletPrograms'>>
  /** URLs of nodes of Solana that are listed behind the sandbox's own. */
  readonly solanaNodesBeside?: readonly string[]
}

export interface ServiceHandle {
  readonly baseUrl: string
  /** /metrics without a key. */
  readonly metricsUrl: string
  readonly apiKeys: SandboxFile['apiKeys']
  readonly accountId: string
  readonly wallets: SandboxFile['wallets']
  /** The keys that pay for settlements; a world gives them native currency. */
  readonly settlers: SandboxFile['wallets']
  readonly pid: number
  /** Everything it wrote, newest last. */
  readonly log: readonly string[]
  /** Resolves when the process is gone, with the signal that ended it. */
  readonly ended: Promise<{ signal: NodeJS.Signals | null; code: number | null }>
  stop(): Promise<void>
  kill(): Promise<void>
}

/** Starts the service as a process of its own on the test's database and chain. It ends with this process. */
export async function startService(
  options: {
    sandbox: SandboxHandle
    databaseUrl: string
    rpcUrl?: string
    solana?: boolean
  } & Omit<ServiceSettings, 'sandbox' | 'keyText'>,
): Promise<ServiceHandle> {
  const { sandbox, rpcUrl = sandbox.rpcUrl, solana = false, ...rest } = options
  const settings: ServiceSettings = {
    ...rest,
    keyText: CANARY_KEY_TEXT,
    sandbox: {
      instance: sandbox.instance,
      evm: { network: sandbox.network, rpcUrl, usdc: sandbox.usdc, market: sandbox.market },
      faucetUrl: sandbox.faucetUrl,
      ...(solana ? { solana: sandbox.solana } : {}),
    },
  }
  const child = spawn(process.execPath, [MAIN, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  const log: string[] = []
  const ended = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    if (log.length > LOG_LINES_MAX) log.shift()
  })
  const ready = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).once('line', ready.resolve)
  const timer = setTimeout(
    () => ready.reject(new Error(`not ready within ${START_SECONDS} s:\n${log.join('\n')}`)),
    START_SECONDS * 1000,
  )
  void ended.then(({ signal, code }) =>
    ready.reject(
      new Error(`the service ended at its start with ${signal ?? code}:\n${log.join('\n')}`),
    ),
  )
  try {
    const facts = JSON.parse(await ready.promise) as Pick<
      ServiceHandle,
      'baseUrl' | 'metricsUrl' | 'apiKeys' | 'accountId' | 'wallets' | 'settlers'
    >
    return {
      ...facts,
      pid: child.pid ?? 0,
      log,
      ended,
      stop: async () => {
        child.kill('SIGTERM')
        await ended
      },
      kill: async () => {
        child.kill('SIGKILL')
        await ended
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}
