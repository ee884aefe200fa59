import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { Child } from './child.ts'
import { parseSandboxReady } from './sandbox-ready.ts'
import type { SandboxReady } from './sandbox-ready.ts'

export const SANDBOX_MAIN = fileURLToPath(import.meta.resolve('@florin/sandbox/main.ts'))

const READY_SECONDS = 60
const CLOSE_SECONDS = 10
const TERMINATE_SECONDS = 5
const ERROR_LINES_MAX = 20

export interface SandboxProcess extends Child {
  readonly ready: SandboxReady
}

/**
 * Starts the sandbox in a process of its own: its work must not stand in the way of requests, and it must be able to die
 * alone. It ends when its standard input closes, so also when this process is killed.
 * The ports: 0 takes any free one; Solana takes the next one, too.
 */
export async function startSandboxProcess({
  directory,
  evmPort,
  solanaPort,
  faults,
  market = false,
  log,
  clock,
  onSpawned,
}: {
  directory: string
  evmPort: number
  solanaPort: number
  faults: boolean
  /** Somebody trades all the time. */
  market?: boolean
  log: Log
  clock: Clock
  /** Told of the process before it is ready: a start that is killed meanwhile must be found by the next. */
  onSpawned: (pid: number) => Promise<void>
}): Promise<SandboxProcess> {
  const ports = ['--evm-port', `${evmPort}`, '--solana-port', `${solanaPort}`]
  const options = ['--directory', directory, ...ports, '--parent-pipe']
  // A session of its own, so that Ctrl-C in a terminal does not reach it before us.
  const child = spawn(
    process.execPath,
    [SANDBOX_MAIN, ...options, ...(faults ? ['--faults'] : []), ...(market ? ['--market'] : [])],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    },
  )
  const gone = new AbortController()
  const exited = once(child, 'exit').then(([code, signal]: unknown[]) => {
    gone.abort()
    return { code, signal }
  })
  exited.catch(() => undefined)
  child.stdin.on('error', () => undefined)

  const lastLines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastLines.push(line)
    if (lastLines.length > ERROR_LINES_MAX) lastLines.shift()
    log.debug({ line }, 'sandbox')
  })
  const stop = async () => {
    child.stdin.end()
    await clock.sleep(CLOSE_SECONDS * 1000, gone.signal)
    if (!gone.signal.aborted) child.kill('SIGTERM')
    await clock.sleep(TERMINATE_SECONDS * 1000, gone.signal)
    // The whole group: a chain that outlived its keeper would hold the port and the files.
    if (!gone.signal.aborted && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await exited
  }
  const lines = createInterface({ input: child.stdout })
  const firstLine = once(lines, 'line').then(([text]: unknown[]) => String(text))
  if (child.pid !== undefined) await onSpawned(child.pid)
  const line = await Promise.race([
    firstLine,
    exited.then(() => undefined),
    clock.sleep(READY_SECONDS * 1000, gone.signal),
  ])
  const ready = line === undefined ? undefined : parseSandboxReady(line)
  if (ready === undefined || child.pid === undefined) {
    await stop()
    throw new Error(`the sandbox did not start:\n${lastLines.join('\n')}`)
  }
  return { pid: child.pid, exited, stop, ready }
}
