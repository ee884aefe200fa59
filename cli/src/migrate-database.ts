import type { Log } from '@florin/server/kernel/log.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { migrate, MigrationRefused } from '@florin/server/store/migrate.ts'
import { CommandFailed } from './usage-error.ts'

/** What to do about a refusal, by PostgreSQL's code (appendix A of its manual). */
const NEXT: Readonly<Record<string, string>> = {
  // lock_not_available, query_canceled
  '55P03':
    'Something else uses that table, a doctor or a dump perhaps: run florin migrate again when it is over.',
  '57014': 'It took too long: run florin migrate again while less is going on.',
  // insufficient_privilege
  '42501':
    'The user of DATABASE_URL has to own the database and be allowed to make roles: ALTER ROLE ... CREATEROLE.',
  // disk_full
  '53100': "Make room on the database's disk, then run florin migrate again.",
}
const OTHERWISE = "The database's own log says more."

/** Migrates a database. Throws CommandFailed with PostgreSQL's reason and what to do next where it refuses a migration. */
export async function migrateDatabase(access: {
  url: Secret
  log: Log
}): Promise<{ readonly names: readonly string[] }> {
  try {
    return await migrate(access)
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    const { migration, reason, sqlState = '' } = error
    throw new CommandFailed(
      `the database refused migration ${migration}, of which nothing was kept: ${reason}. ${NEXT[sqlState] ?? OTHERWISE}`,
      { cause: error },
    )
  }
}
