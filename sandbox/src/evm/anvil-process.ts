import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AnvilClient } from './anvil-client.ts'
import { openAnvilClient } from './anvil-client.ts'
import { EVM_CHAIN_ID } from './chain-facts.ts'

const START_SECONDS = 20
const STOP_SECONDS = 5
const BANNER_CHARACTERS_MAX = 16_384

/**
 * Blocks whose state stays readable and that a reorg can take back. Bare `--prune-history` keeps none, and then
 * every read at `finalized` fails; with a number memory stays flat as long as `--max-persisted-states 0` is NOT
 * given: 1,200 blocks took 37 MiB (history 8) and 56 MiB (64) against 38 MiB bare. More than a slow disk may leave unsaved (UNSAVED_BLOCKS_MAX).
 */
export const HISTORY_BLOCKS = 120

/**
 * Blocks that keep their transactions and receipts; the oldest lose them: after 41 idle hours, or 8 minutes of blocks under
 * full load. A kept transaction costs about 13 KB of memory (30,000 took 421 MiB) and 200 bytes of the saved chain.
 */
const TRANSACTION_BLOCKS = 10_000
const GAS_LIMIT = 120_000_000

export interface AnvilProcess {
  readonly pid: number
  readonly port: number
  readonly client: AnvilClient
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>
  /** SIGTERM, then SIGKILL when that does not help. */
  stop(): Promise<void>
}

/** The argument that ties a process to a directory; also how a leftover of ours is recognised. */
export function cachePathOf(directory: string): string {
  return join(directory, 'cache')
}

/** Starts anvil with nobody's well-known accounts and no mining of its own, and waits until it listens. */
export async function startAnvil(
  binary: string,
  directory: string,
  /** With Celo's precompile, by which a contract moves native currency. */
  movesCurrency = false,
): Promise<AnvilProcess> {
  const cache = cachePathOf(directory)
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const flags = [...flagsFor(cache), ...(movesCurrency ? ['--celo'] : [])]
  const child = spawn(binary, flags, {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: directory,
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000)
    await ended
    clearTimeout(timer)
  }
  try {
    const port = await listeningPort(child)
    const client = openAnvilClient(port)
    void ended.then(() => client.close())
    // The banner told the port (asking the system for a free one first would be a race); now it may be silent.
    await client.call('anvil_setLoggingEnabled', [false])
    if (child.pid === undefined) throw new Error('anvil has no pid')
    return { pid: child.pid, port, client, ended, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function flagsFor(cache: string): readonly string[] {
  const flags = {
    '--host': '127.0.0.1',
    '--port': 0,
    '--chain-id': EVM_CHAIN_ID,
    '--accounts': 0,
    '--gas-limit': GAS_LIMIT,
    '--slots-in-an-epoch': 1,
    '--prune-history': HISTORY_BLOCKS,
    '--transaction-block-keeper': TRANSACTION_BLOCKS,
    '--cache-path': cache,
  }
  return [
    '--no-mining',
    '--no-cors',
    '--no-request-size-limit',
    ...Object.entries(flags).flatMap(([flag, value]) => [flag, String(value)]),
  ]
}

async function listeningPort(child: ChildProcess): Promise<number> {
  return await new Promise((resolve, reject) => {
    let banner = ''
    const timer = setTimeout(
      () => reject(new Error(`anvil did not listen within ${START_SECONDS} s`)),
      START_SECONDS * 1000,
    )
    child.stdout?.setEncoding('utf8')
    child.stdout?.on('data', (text: string) => {
      if (banner.length < BANNER_CHARACTERS_MAX) banner += text
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(banner)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(Number(port))
    })
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`anvil ended while it started (${signal ?? `code ${code}`})`))
    })
  })
}
