import { setTimeout as delay } from 'node:timers/promises'
import { identify, isRunning } from '@florin/cli/process-identity.ts'
import { familyOf, listProcesses } from '@florin/server/store/embedded/processes.ts'

/**
 * What is sent, to whom, and how long that is given. Whoever is started by a test ends with it or soon after; PostgreSQL goes on, takes
 * SIGTERM for a wish to wait for its clients, and ends at SIGINT.
 */
const STEPS = [
  { signal: 'SIGTERM', isForAll: false, seconds: 2 },
  { signal: 'SIGINT', isForAll: true, seconds: 5 },
  { signal: 'SIGKILL', isForAll: true, seconds: 5 },
] as const
const PAUSE_MILLISECONDS = 50

/**
 * Ends a process with everything that it started, and that these started, in whatever session, within 12 s. Signals go to processes that were seen
 * as its descendants and are the same still.
 */
export async function endTree(rootPid: number): Promise<void> {
  const root = await identify(rootPid)
  if (root === undefined) return
  const known = new Map([[root.pid, root.startedAt]])
  for (const { signal, isForAll, seconds } of STEPS) {
    await lookAgain(known)
    for (const [pid, startedAt] of known) {
      if (isForAll || pid === root.pid) await send(pid, startedAt, signal)
    }
    const deadline = performance.now() + seconds * 1000
    while (performance.now() < deadline) {
      await lookAgain(known)
      if (known.size === 0) return
      await delay(PAUSE_MILLISECONDS)
    }
  }
}

/** Adds what they have started meanwhile, and forgets those that have ended, in this order: an orphan has another parent. */
async function lookAgain(known: Map<number, string>): Promise<void> {
  for (const pid of familyOf(await listProcesses(), known.keys())) {
    const found = known.has(pid) ? undefined : await identify(pid)
    if (found !== undefined) known.set(found.pid, found.startedAt)
  }
  for (const [pid, startedAt] of known) {
    if (!(await isRunning({ pid, startedAt }))) known.delete(pid)
  }
}

async function send(pid: number, startedAt: string, signal: NodeJS.Signals): Promise<void> {
  if (!(await isRunning({ pid, startedAt }))) return
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It ended in between.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
