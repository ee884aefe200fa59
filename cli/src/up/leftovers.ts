import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import { listProcesses } from '@florin/server/store/embedded/processes.ts'
import { identify, identityFrom, isRunning } from '../process-identity.ts'
import type { ProcessIdentity } from '../process-identity.ts'
import { readObject, writeObject } from '../small-json.ts'
import { SANDBOX_MAIN } from './sandbox-process.ts'

const PAUSE_MILLISECONDS = 20
const STEPS = [
  // It ends by itself, because its standard input closed with the process that started it.
  { signal: undefined, seconds: 5 },
  { signal: 'SIGTERM', seconds: 5 },
  { signal: 'SIGKILL', seconds: 5 },
] as const

/** Writes down the sandbox process, for the start after a kill. PostgreSQL is written down where it is started. */
export async function recordSandboxProcess(path: string, pid: number): Promise<void> {
  await writeObject(path, (await identify(pid)) ?? {})
}

/**
 * Ends the sandbox process of a run that was killed. It is recognised by its pid and start time, by the file it runs and
 * by its data directory; a process that only has its pid is left alone.
 */
export async function endLeftoverSandbox({
  children,
  directory,
  clock,
  log,
}: {
  children: string
  directory: string
  clock: Clock
  log: Log
}): Promise<void> {
  const identity = identityFrom(await readObject(children))
  if (identity === undefined || !(await isSandboxOf(identity, directory))) return
  for (const { signal, seconds } of STEPS) {
    if (signal !== undefined) {
      log.warn({ pid: identity.pid, signal }, 'ending a sandbox process that an earlier run left')
      tryKill(identity.pid, signal)
    }
    const deadline = clock.nowMilliseconds() + seconds * 1000
    while (clock.nowMilliseconds() < deadline) {
      if (!(await isRunning(identity))) return
      await clock.sleep(PAUSE_MILLISECONDS)
    }
  }
  throw new Error(`process ${identity.pid}, a sandbox of an earlier run, cannot be ended`)
}

async function isSandboxOf(identity: ProcessIdentity, directory: string): Promise<boolean> {
  if (!(await isRunning(identity))) return false
  const facts = (await listProcesses()).find(({ pid }) => pid === identity.pid)
  const words = facts?.words ?? []
  return words.includes(SANDBOX_MAIN) && words.includes(directory)
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between.
  }
}
