import type { Log } from '@florin/server/kernel/log.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { lookAtDatabase, POSTGRESQL_MAJOR_MIN } from '@florin/server/store/look-at-database.ts'
import { migrationsText } from './migrations-text.ts'
import { CommandFailed } from './usage-error.ts'

/**
 * Looks whether a database lets this version in, and changes nothing. `migrated`: it must also be ready for the service's own role and
 * statements. `upIn`: the directory of a running `up` that it belongs to, which is migrated by a new start; whether it answers, the command itself
 * will see. Throws CommandFailed that says what to look at, or to run.
 */
export async function checkUsableDatabase({
  url,
  log,
  migrated = false,
  upIn,
}: {
  url: Secret
  log: Log
  migrated?: boolean
  upIn?: string | undefined
}): Promise<void> {
  const facts = await lookAtDatabase({ url, log })
  if (facts.kind === 'away') {
    if (upIn !== undefined) return
    throw new CommandFailed(
      `the database does not answer (${facts.reason}). Is it running, and is DATABASE_URL right?`,
    )
  }
  if (facts.kind === 'refuses') {
    throw new CommandFailed(`the database turns us away: ${facts.reason}. Check DATABASE_URL.`)
  }
  if (facts.tooOld) {
    throw new CommandFailed(
      `the database is PostgreSQL ${facts.version}, and ${POSTGRESQL_MAJOR_MIN} or newer is needed`,
    )
  }
  if (facts.unusable !== undefined) throw new CommandFailed(facts.unusable)
  if (!migrated) return
  if (facts.missing.length > 0) {
    const behind = migrationsText(facts.missing)
    const next =
      upIn === undefined
        ? 'Run: florin migrate'
        : `An earlier version runs in ${upIn}: stop it, and start this one there.`
    throw new CommandFailed(`the database's schema is behind by ${behind}. ${next}`)
  }
  if (!facts.mayServe) {
    throw new CommandFailed(
      'the user of DATABASE_URL may not act as florin_service. As the owner of the database: GRANT florin_service TO that user.',
    )
  }
}
