import { Socket } from 'node:net'
import { basename } from 'node:path'
import { listProcesses } from '@florin/server/store/embedded/processes.ts'
import type { ProcessFacts } from '@florin/server/store/embedded/processes.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import { identify, isRunning } from '../process-identity.ts'
import type { ProcessIdentity } from '../process-identity.ts'

const PIPE = 'FLORIN_LAUNCHER_FD'
const FIRST_OWN_DESCRIPTOR = 3
/** The package manager's script is this very command, in the foreground; a script that does more may end before us. */
const OWN_SCRIPT = /\bflorin(?:\.js)? up$/
const WATCH_MILLISECONDS = 250
const ANCESTORS_MAX = 4
/** Where the system does not tell, nobody is gone. */
const UNKNOWN: readonly boolean[] = []
const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ash', 'busybox']

/** The processes that started this one in order to run it, and that it ends with. */
export interface Launcher {
  readonly identities: readonly ProcessIdentity[]
  /** Calls back once when one of them is gone, however it ended. */
  onGone(callback: () => void): void
}

/**
 * Finds who started this process. bin/florin.js leaves a pipe open that ends when it dies, even by SIGKILL, which no
 * handler sees. `npm start` leaves none, and puts a shell in between that passes no signal on: its processes are watched.
 * Takes the pipe's variable out of the environment, so that children do not take it for theirs.
 */
export async function findLauncher(
  environment: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<Launcher> {
  const pipe = openPipe(environment)
  const isOwnScript = OWN_SCRIPT.test(environment['npm_lifecycle_script'] ?? '')
  const pids = isOwnScript ? await packageManagerPids() : []
  if (pipe !== undefined) pids.push(process.ppid)
  const found = await Promise.all([...new Set(pids)].map(identify))
  const identities = found.filter((identity) => identity !== undefined)
  return {
    identities,
    onGone: (callback) => {
      if (pipe?.closed) callback()
      pipe?.once('close', callback)
      if (isOwnScript) void watch(identities, clock, callback)
    },
  }
}

function openPipe(environment: NodeJS.ProcessEnv): Socket | undefined {
  const descriptor = Number(environment[PIPE])
  delete environment[PIPE]
  if (!Number.isInteger(descriptor) || descriptor < FIRST_OWN_DESCRIPTOR) return undefined
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false })
  pipe.on('error', () => pipe.destroy())
  pipe.resume()
  return pipe
}

/** Our ancestors up to the package manager: the first that is neither a shell running one command nor our launcher. */
async function packageManagerPids(): Promise<number[]> {
  const all = new Map((await listProcesses()).map((facts) => [facts.pid, facts]))
  const pids: number[] = []
  let ancestor = all.get(process.ppid)
  while (ancestor !== undefined && ancestor.pid > 1 && pids.length < ANCESTORS_MAX) {
    pids.push(ancestor.pid)
    if (!isBetween(ancestor)) break
    ancestor = all.get(ancestor.parentPid)
  }
  return pids
}

function isBetween({ words: [program = '', second = ''] }: ProcessFacts): boolean {
  const isShell = SHELLS.includes(basename(program).replace(/^-/, '')) && second === '-c'
  return isShell || basename(second) === 'florin.js'
}

async function watch(
  identities: readonly ProcessIdentity[],
  clock: Clock,
  onGone: () => void,
): Promise<void> {
  for (;;) {
    const running = await Promise.all(identities.map(isRunning)).catch(() => UNKNOWN)
    if (running.includes(false)) return onGone()
    await clock.sleep(WATCH_MILLISECONDS)
  }
}
