import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { findClusterProcesses } from './cluster-processes.ts'
import { embeddedLimits } from './embedded-limits.ts'

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return
    throw new Error(
      `process ${pid} is a PostgreSQL of an earlier run and belongs to another user; ` +
        `end it or start as that user`,
      { cause: error },
    )
  }
}

/**
 * Ends what an earlier run left running on a data directory, politely first, and then clears its
 * stale lock file. Afterwards nothing holds the directory or its shared memory.
 * @param supervisorPid who started the earlier run; when it still lives, this refuses.
 */
export async function endLeftovers({
  cluster,
  supervisorPid,
  clock,
  log,
}: {
  cluster: string
  supervisorPid: number | undefined
  clock: Clock
  log: Log
}): Promise<void> {
  const steps = [
    { name: 'SIGINT', seconds: embeddedLimits.fastShutdownSeconds },
    { name: 'SIGQUIT', seconds: embeddedLimits.immediateShutdownSeconds },
    { name: 'SIGKILL', seconds: embeddedLimits.killSeconds },
  ] as const
  for (const { name, seconds } of steps) {
    let found = await findClusterProcesses(cluster)
    const { postmaster } = found
    // A postmaster whose starter died has been given another parent by the system.
    if (postmaster?.parentPid === supervisorPid && supervisorPid !== process.pid && postmaster) {
      throw new Error(`process ${supervisorPid} is already running the database in ${cluster}`)
    }
    const targets = postmaster === undefined ? found.backends : [postmaster]
    if (targets.length === 0) break
    // Backends without a postmaster have nothing to finish: nobody will read their answer.
    if (name === 'SIGINT' && postmaster === undefined) continue
    for (const { pid } of targets) {
      log.warn({ pid, signal: name }, 'ending a PostgreSQL process that an earlier run left')
      signal(pid, name)
    }
    const deadline = clock.nowMilliseconds() + seconds * 1000
    while (clock.nowMilliseconds() < deadline) {
      found = await findClusterProcesses(cluster)
      if (found.postmaster === undefined && found.backends.length === 0) break
      await clock.sleep(embeddedLimits.readyPauseMilliseconds)
    }
  }
  const { postmaster, backends } = await findClusterProcesses(cluster)
  const stuck = postmaster ?? backends[0]
  if (stuck)
    throw new Error(`process ${stuck.pid}, a PostgreSQL of an earlier run, cannot be ended`)
  // Its pid may by now be someone else's, which PostgreSQL would take for itself and refuse.
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}
