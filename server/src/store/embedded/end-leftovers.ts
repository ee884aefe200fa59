import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { findClusterProcesses } from './cluster-processes.ts'
import { embeddedLimits, SHUTDOWN_STEPS } from './embedded-limits.ts'

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

async function awaitNone(
  look: () => Promise<boolean>,
  seconds: number,
  clock: Clock,
): Promise<boolean> {
  const deadline = clock.nowMilliseconds() + seconds * 1000
  while (clock.nowMilliseconds() < deadline) {
    if (!(await look())) return true
    await clock.sleep(embeddedLimits.readyPauseMilliseconds)
  }
  return false
}

/**
 * Ends what an earlier run left running on a data directory, the postmaster politely first, and
 * clears its stale lock file. Afterwards nothing holds the directory or its shared memory.
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
  const end = (pid: number, name: NodeJS.Signals) => {
    log.warn({ pid, signal: name }, 'ending a PostgreSQL process that an earlier run left')
    signal(pid, name)
  }
  const { postmaster } = await findClusterProcesses(cluster)
  // A postmaster whose starter died has been given another parent by the system.
  if (
    postmaster !== undefined &&
    postmaster.parentPid === supervisorPid &&
    supervisorPid !== process.pid
  ) {
    throw new Error(`process ${supervisorPid} is already running the database in ${cluster}`)
  }
  if (postmaster !== undefined) {
    const stillThere = async () => {
      const found = (await findClusterProcesses(cluster)).postmaster
      return found?.pid === postmaster.pid
    }
    for (const { name, seconds } of SHUTDOWN_STEPS) {
      end(postmaster.pid, name)
      if (await awaitNone(stillThere, seconds, clock)) break
    }
  }
  // Backends without a postmaster have nothing to finish: nobody will commit for them.
  for (const { pid } of (await findClusterProcesses(cluster)).backends) end(pid, 'SIGKILL')
  const anyLeft = async () => {
    const found = await findClusterProcesses(cluster)
    return found.postmaster !== undefined || found.backends.length > 0
  }
  if (!(await awaitNone(anyLeft, embeddedLimits.killSeconds, clock))) {
    throw new Error(`the PostgreSQL of an earlier run on ${cluster} cannot be ended`)
  }
  // Its pid may by now be someone else's, which PostgreSQL would take for itself and refuse.
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}
