import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dataPaths } from '@florin/cli/data-paths.ts'
import { readOwner } from '@florin/cli/owner-file.ts'
import { isRunning } from '@florin/cli/process-identity.ts'
import { readSandboxFile } from '@florin/cli/sandbox-file.ts'
import type { SandboxFile } from '@florin/cli/sandbox-file.ts'
import { readObject } from '@florin/cli/small-json.ts'
import { until } from '@florin/server/kernel/until.ts'
import { listProcesses } from '@florin/server/store/embedded/processes.ts'
import type { ProcessFacts } from '@florin/server/store/embedded/processes.ts'

export const FLORIN = fileURLToPath(new URL('../../bin/florin.js', import.meta.url))
const READY_SECONDS = 60
const END_SECONDS = 40

export interface FlorinOptions {
  /** An own new one when left out. */
  readonly dataDirectory?: string
  readonly env?: Readonly<Record<string, string>>
  /** Start the sandbox with fault switches; their address is in faults.json. */
  readonly faults?: boolean
  /** A Node that is not the pinned one: then bin/florin.js stays in between, as on a newcomer's machine. */
  readonly launcherNode?: string
  /** The launcher of another checkout. */
  readonly florin?: string
}

/** One running `florin up`. */
export interface FlorinHandle {
  readonly dataDirectory: string
  /** sandbox.json. */
  readonly info: SandboxFile
  readonly baseUrl: string
  /** The process that was spawned: the launcher when there is one, else the service. */
  readonly pid: number
  stdout(): string
  stderr(): string
  /** Signals the spawned process, or the one of that pid, and waits until it is gone. */
  kill(signal: NodeJS.Signals, pid?: number): Promise<void>
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>
  /** Starts again on the same data directory. */
  restart(options?: FlorinOptions): Promise<FlorinHandle>
  /** Ends and removes all of it, whatever state it is in. */
  discard(): Promise<void>
}

/** A data directory of a test. Open to be passed through: as root PostgreSQL runs as another user. */
export async function newDataDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'florin-up-'))
  await chmod(directory, 0o711)
  return directory
}

/** Every living process that was started on a data directory, whoever its parent is by now. */
export async function processesOf(dataDirectory: string): Promise<readonly ProcessFacts[]> {
  const places = [dataDirectory, (await databaseHome(dataDirectory)) ?? dataDirectory]
  const all = await listProcesses()
  const direct = all.filter(({ words }) =>
    words.some((word) => places.some((place) => word.startsWith(place))),
  )
  const pids = new Set(direct.map(({ pid }) => pid))
  return all.filter(({ pid, parentPid }) => pids.has(pid) || pids.has(parentPid))
}

/** Where the database is when the data directory could not be reached by the user that PostgreSQL runs as. */
async function databaseHome(dataDirectory: string): Promise<string | undefined> {
  const home = (await readObject(join(dataPaths(dataDirectory).postgres, 'place.json')))?.get(
    'home',
  )
  return typeof home === 'string' && home !== '' ? home : undefined
}

/** What a command of ours is run with: nothing of the machine's own settings. */
export function bareEnvironment(
  dataDirectory: string,
  more: Readonly<Record<string, string>> = {},
) {
  const { PATH = '', HOME = '/' } = process.env
  return { PATH, HOME, FLORIN_PORT: '0', FLORIN_DATA_DIR: dataDirectory, ...more }
}

/** Starts `florin up` on a free port and waits until it is ready. It ends with this process. */
export async function startFlorin(options: FlorinOptions = {}): Promise<FlorinHandle> {
  const dataDirectory = options.dataDirectory ?? (await newDataDirectory())
  const spawned = spawnUp(dataDirectory, options)
  const { child, text } = spawned
  const { sandboxFile } = dataPaths(dataDirectory)
  const discard = async () => {
    if (lives(child)) child.kill('SIGKILL')
    const owner = await readOwner(dataPaths(dataDirectory).owner)
    if (owner !== undefined && (await isRunning(owner))) tryKill(owner.pid, 'SIGKILL')
    for (const { pid } of await processesOf(dataDirectory)) tryKill(pid, 'SIGKILL')
    await until('nothing is left', async () => (await processesOf(dataDirectory)).length === 0, {
      seconds: END_SECONDS,
    })
    const home = await databaseHome(dataDirectory)
    if (home !== undefined) await rm(home, { recursive: true, force: true })
    await rm(dataDirectory, { recursive: true, force: true })
  }
  try {
    const info = await until(
      'florin up is ready',
      async () => {
        if (!lives(child)) throw new Error(`florin up ended:\n${text.stdout}${text.stderr}`)
        return text.stdout.includes('Ctrl-C') ? await readSandboxFile(sandboxFile) : undefined
      },
      { seconds: READY_SECONDS },
    )
    return {
      dataDirectory,
      info,
      baseUrl: info.baseUrl,
      pid: pidOf(child),
      stdout: () => text.stdout,
      stderr: () => text.stderr,
      kill: async (signal, pid = pidOf(child)) => {
        tryKill(pid, signal)
        await until(
          `process ${pid} is gone`,
          async () => !(await listProcesses()).some((facts) => facts.pid === pid),
          { seconds: END_SECONDS },
        )
      },
      stop: async () => {
        if (lives(child)) {
          const ended = once(child, 'exit')
          child.kill('SIGTERM')
          await ended
        }
        return child.exitCode
      },
      restart: (again = {}) => startFlorin({ ...options, ...again, dataDirectory }),
      discard,
    }
  } catch (error) {
    await discard()
    throw error
  }
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a command of ours. */
export function spawnFlorin(
  args: readonly string[],
  dataDirectory: string,
  more: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [FLORIN, ...args], {
    env: bareEnvironment(dataDirectory, more),
    cwd: dirname(dataDirectory),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = collect(child)
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...text }))
  return { child, ended }
}

/** Runs a command of ours to its end. */
export async function runFlorin(...call: Parameters<typeof spawnFlorin>): Promise<Ended> {
  return await spawnFlorin(...call).ended
}

function spawnUp(dataDirectory: string, options: FlorinOptions) {
  const { env = {}, faults = false, launcherNode, florin = FLORIN } = options
  const more = { ...env, ...(faults ? { FLORIN_SANDBOX_FAULTS: '1' } : {}) }
  // Without a launcher the test is the launcher: its death closes the pipe.
  const pipe = launcherNode === undefined ? { FLORIN_LAUNCHER_FD: '3' } : {}
  const child = spawn(launcherNode ?? process.execPath, [florin, 'up'], {
    env: bareEnvironment(dataDirectory, { ...pipe, ...more }),
    cwd: dirname(dataDirectory),
    stdio: ['ignore', 'pipe', 'pipe', launcherNode === undefined ? 'pipe' : 'ignore'],
  })
  const endWithTest = () => child.kill('SIGKILL')
  process.once('exit', endWithTest)
  child.once('exit', () => process.off('exit', endWithTest))
  return { child, text: collect(child) }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const text = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk
  })
  return text
}

function lives(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('nothing was started')
  return pid
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between.
  }
}
