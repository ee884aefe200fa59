import type { Log } from '@florin/server/kernel/log.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { lookAtDatabase } from '@florin/server/store/look-at-database.ts'
import { migrationsText } from './migrations-text.ts'
import { CommandFailed } from './usage-error.ts'

/**
 * Looks whether a database lets this version in, and changes nothing. `migrated`: it must also be ready for the service's own role and
 * statements. Throws CommandFailed that says what to look at, or to run.
 */
export async function checkUsableDatabase({
  url,
  log,
  migrated = false,
}: {
  url: Secret
  log: Log
  migrated?: boolean
}): Promise<void> {
  const facts = await lookAtDatabase({ url, log })
  if (facts.kind === 'away') {
    throw new CommandFailed(
      `the database does not answer (${facts.reason}). Is it running, and is DATABASE_URL right?`,
    )
  }
  if (facts.kind === 'refuses') {
    throw new CommandFailed(`the database turns us away: ${facts.reason}. Check DATABASE_URL.`)
  }
  if (facts.unusable !== undefined) throw new CommandFailed(facts.unusable)
  if (!migrated) return
  if (facts.missing.length > 0) {
    const behind = migrationsText(facts.missing)
    throw new CommandFailed(`the database's schema is behind by ${behind}. Run: florin migrate`)
  }
  if (!facts.mayServe) {
    throw new CommandFailed(
      'the user of DATABASE_URL may not act as florin_service. As the owner of the database: GRANT florin_service TO that user.',
    )
  }
}
