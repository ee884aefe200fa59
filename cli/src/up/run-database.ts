import type { Secret } from '@florin/server/kernel/secret.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { migrateDatabase } from '../migrate-database.ts'
import { supervise } from './supervise.ts'
import type { Workshop } from './workshop.ts'

/** How to reach the database. */
export interface DatabaseAccess {
  /** For other processes, and for people. */
  readonly url: Secret
  /** For this one: over a socket where there is one. */
  readonly ownUrl: Secret
}

/** The database, migrated: the one that DATABASE_URL names, or our own, started again whenever it dies. */
export async function runDatabase(workshop: Workshop): Promise<DatabaseAccess> {
  const { config, log, progress } = workshop
  const { databaseUrl: given } = config
  const access = given === null ? await runEmbedded(workshop) : { url: given, ownUrl: given }
  await progress.step('preparing the database', () => migrateDatabase({ url: access.url, log }))
  return access
}

async function runEmbedded(workshop: Workshop): Promise<DatabaseAccess> {
  const { paths, log, clock, random, progress, ending, closers } = workshop
  const start = () => startPostgres({ directory: paths.postgres, log, clock, random })
  const first = await progress.step('starting PostgreSQL', start)
  const supervisor = supervise({
    name: 'PostgreSQL',
    first,
    start,
    onRestarted: async ({ port }) => {
      if (port !== first.port)
        ending.fail(`PostgreSQL lost its port ${first.port} to another program`)
    },
    onGaveUp: ending.fail,
    clock,
    log,
  })
  closers.add('PostgreSQL', supervisor.stop)
  // The sandbox ends with our end of its pipe; PostgreSQL has none. SIGQUIT is its immediate shutdown: nothing committed is lost.
  ending.addLastResort(() => {
    const pid = supervisor.pid()
    try {
      if (pid !== undefined) process.kill(pid, 'SIGQUIT')
    } catch {
      // It ended in between.
    }
  })
  return { url: first.ownerUrl, ownUrl: first.socketUrl }
}
