import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findAnvil } from '@florin/sandbox/evm/anvil-binary.ts'
import { cachePathOf } from '@florin/sandbox/evm/anvil-process.ts'
import { endLeftovers, leftoversOf } from '@florin/sandbox/evm/leftover.ts'
import type { Fault } from '@florin/sandbox/faults/fault.ts'
import type { JsonObject } from '@florin/sandbox/host/json.ts'
import { isJsonObject, parseJson } from '@florin/sandbox/host/json.ts'
import type { Ready } from '@florin/sandbox/ready.ts'
import { readReady } from '@florin/sandbox/ready.ts'

const MAIN = fileURLToPath(new URL('../../sandbox/src/main.ts', import.meta.url))
const START_SECONDS = 90
const STOP_SECONDS = 20
const LOG_LINES_MAX = 1_000

export interface SandboxHandle {
  /** JSON-RPC of the chain; the same after a restart on the same directory. */
  readonly rpcUrl: string
  /** CAIP-2. */
  readonly network: string
  /** The token's address. */
  readonly usdc: string
  /** What the EVM chain trades beside USDC, and where. */
  readonly tokens: Ready['evm']['tokens']
  /** Traded nowhere, and without permits. */
  readonly oldToken: Ready['evm']['oldToken']
  readonly market: Ready['evm']['market']
  /** The Solana chain; `wsUrl` is the port after that of `rpcUrl`, which takes WebSockets, too. */
  readonly solana: Ready['solana']
  readonly faucetUrl: string
  /** Where faults are put up; null without `faults: true`. */
  readonly adminUrl: string | null
  /** What `florin_sandbox` answers. */
  readonly instance: string
  readonly directory: string
  /** The sandbox process; anvil is its child. */
  readonly pid: number
  /** What it said on standard error so far, newest last. */
  readonly log: readonly string[]
  /** Puts a fault up, or carries it out; on the EVM chain unless it says `chain: 'solana'`. Needs `faults: true`. */
  fault(fault: Fault): Promise<void>
  /** Ends all standing faults of both chains and lets blocks come again. */
  clearFaults(): Promise<void>
  /** Mines now. Needs `faults: true`. */
  mine(blocks?: number): Promise<void>
  /**
   * Pays from the faucet and waits until it is mined; whole units. An address that does not begin with 0x is Solana's.
   * Gives back the transaction's hash or signature.
   */
  fund(
    address: string,
    asset?: 'native' | 'USDC' | 'FERN' | 'ALDER',
    amount?: string,
  ): Promise<string>
  /** Process id of the running anvil. Needs `faults: true`. */
  anvilPid(): Promise<number>
  /** Where the Solana chain stands. Needs `faults: true`. */
  solanaState(): Promise<SolanaState>
  /** Ends it in good order; a directory made by `startSandbox` is removed. */
  stop(): Promise<void>
  /** Signals the sandbox process and waits for its end. After SIGKILL its anvil lives on until the next start or `stop`. */
  kill(signal: NodeJS.Signals): Promise<void>
}

export interface SolanaState {
  readonly pid: number
  /** The open slot. */
  readonly slot: number
  readonly finalSlot: number
  readonly blocksStopped: boolean
}

export interface SandboxOptions {
  readonly faults?: boolean
  /** USDC is the EVM chain's native currency under another name, as on Arc. */
  readonly currencyToken?: boolean
  /** Kept after the end; left out, a new one that is removed by `stop`. */
  readonly directory?: string
  readonly evmPort?: number
  readonly solanaPort?: number
}

/** Starts the sandbox as a process of its own. It ends with this process, however this process ends. */
export async function startSandbox(options: SandboxOptions = {}): Promise<SandboxHandle> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'florin-sandbox-'))
  const words = ['--directory', directory, '--parent-pipe', '--evm-port', `${options.evmPort ?? 0}`]
  if (options.solanaPort !== undefined) words.push('--solana-port', `${options.solanaPort}`)
  if (options.faults === true) words.push('--faults')
  if (options.currencyToken === true) words.push('--currency-token')
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    if (log.length > LOG_LINES_MAX) log.shift()
  })
  // Writing to a sandbox that died would be an error here; its end is seen as its end.
  child.stdin.on('error', () => undefined)

  const firstLine = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).once('line', (line) => firstLine.resolve(line))
  const timer = setTimeout(
    () => firstLine.reject(new Error(`the sandbox was not ready in ${START_SECONDS} s`)),
    START_SECONDS * 1000,
  )
  child.once('close', () => {
    firstLine.reject(new Error(`the sandbox ended at its start: ${log.join('\n')}`))
  })
  let ready: Ready
  try {
    ready = readReady(await firstLine.promise)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }

  const admin = async (method: string, body?: Fault): Promise<JsonObject> => {
    if (ready.adminUrl === null) throw new Error('start the sandbox with faults: true')
    const answer = await fetch(`${ready.adminUrl}/faults`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const state = parseJson(await answer.text())
    if (!answer.ok || !isJsonObject(state)) {
      throw new Error(`the fault was refused: ${JSON.stringify(state)}`)
    }
    return state
  }
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000)
    await ended
    clearTimeout(late)
    if (signal === 'SIGKILL') guardOrphans(join(realpathSync(directory), 'evm'))
  }

  return {
    rpcUrl: ready.evm.rpcUrl,
    network: ready.evm.network,
    usdc: ready.evm.usdc,
    tokens: ready.evm.tokens,
    oldToken: ready.evm.oldToken,
    market: ready.evm.market,
    solana: ready.solana,
    faucetUrl: ready.faucet.url,
    adminUrl: ready.adminUrl,
    instance: ready.instance,
    directory,
    pid: ready.pid,
    log,
    fault: async (fault) => void (await admin('POST', fault)),
    clearFaults: async () => void (await admin('DELETE')),
    mine: async (blocks = 1) => void (await admin('POST', { kind: 'mine', blocks })),
    async fund(address, asset = 'native', amount) {
      const { network } = address.startsWith('0x') ? ready.evm : ready.solana
      const answer = await fetch(ready.faucet.url, {
        method: 'POST',
        body: JSON.stringify({ address, network, asset, amount }),
      })
      const paid = parseJson(await answer.text())
      const transactionHash = isJsonObject(paid) ? paid['transactionHash'] : undefined
      if (typeof transactionHash !== 'string')
        throw new Error(`the faucet answered ${answer.status}`)
      return transactionHash
    },
    async anvilPid() {
      const { anvilPid } = await admin('GET')
      if (typeof anvilPid !== 'number') throw new Error('anvil is not running')
      return anvilPid
    },
    async solanaState() {
      const { solana } = await admin('GET')
      if (!isJsonObject(solana)) throw new Error('the sandbox says nothing about Solana')
      const { pid, slot, finalSlot, blocksStopped } = solana
      if (typeof pid !== 'number' || typeof slot !== 'number' || typeof finalSlot !== 'number') {
        throw new Error('the Solana chain is not running')
      }
      return { pid, slot, finalSlot, blocksStopped: blocksStopped === true }
    },
    kill,
    async stop() {
      await kill('SIGTERM')
      if (!existsSync(directory)) return
      await endLeftovers(findAnvil(), join(realpathSync(directory), 'evm'), () => undefined)
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Ends the anvils of a killed sandbox when this process ends, unless a later start or stop did. */
function guardOrphans(directory: string): void {
  const cache = cachePathOf(directory)
  for (const pid of leftoversOf(findAnvil(), directory)) {
    // Asks again whose pid it is: by then it may be another's.
    const script = 'cat >/dev/null; grep -qF "$2" "/proc/$1/cmdline" && kill -9 "$1"'
    const guard = spawn('sh', ['-c', script, 'guard', `${pid}`, cache], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    guard.unref()
  }
}
