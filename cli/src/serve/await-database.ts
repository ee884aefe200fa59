import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import { CommandFailed } from '../usage-error.ts'
import type { Findings } from './find-problems.ts'

/** A database that starts together with us is there by then. */
const WAIT_SECONDS = 60
const PAUSE_MILLISECONDS = 1_000

/**
 * Looks until the database can be looked at, too. Problems are told at once: waiting mends none of them. Throws CommandFailed when
 * the database stays away.
 */
export async function awaitDatabase({
  find,
  clock,
  log,
  signal,
}: {
  find: () => Promise<Findings>
  clock: Clock
  log: Log
  signal: AbortSignal
}): Promise<Findings> {
  const deadline = clock.nowMilliseconds() + WAIT_SECONDS * 1000
  for (;;) {
    const findings = await find()
    if (!findings.ok || findings.production.databaseAway === undefined || signal.aborted) {
      return findings
    }
    const reason = findings.production.databaseAway
    if (clock.nowMilliseconds() > deadline) {
      throw new CommandFailed(
        `the database did not answer for ${WAIT_SECONDS} s (${reason}). Is it running, and is DATABASE_URL right?`,
      )
    }
    log.warn({ reason }, 'the database does not answer yet')
    await clock.sleep(PAUSE_MILLISECONDS, signal)
  }
}
