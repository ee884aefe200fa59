import { findKeyProblem } from '@florin/server/custody/key-encryption-key.ts'
import { holdsSandboxKeys } from '@florin/server/custody/store.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { Secret, SecretBytes } from '@florin/server/kernel/secret.ts'
import { lookAtDatabase, POSTGRESQL_MAJOR_MIN } from '@florin/server/store/look-at-database.ts'
import { openStore, StoreUnavailable } from '@florin/server/store/postgres.ts'
import { migrationsText } from '../migrations-text.ts'
import type { Problem } from './problem.ts'

const SERVE_CANNOT = '`florin serve` does not change a schema by itself.'

/**
 * Looks at the database without changing anything. `away` when it does not answer: that is no problem of the configuration.
 * @param key what should open the keys in it; left out when there is none that could.
 */
export async function findDatabaseProblems({
  url,
  key,
  log,
}: {
  url: Secret
  key: SecretBytes | undefined
  log: Log
}): Promise<{ readonly problems: readonly Problem[]; readonly away?: string }> {
  if (/[?&]options=/.test(url.reveal())) {
    const what =
      'DATABASE_URL carries "options", which would outdo the role that the service takes.'
    return {
      problems: [{ what, next: 'Take it out; set such things on the user or the database.' }],
    }
  }
  const facts = await lookAtDatabase({ url, log })
  if (facts.kind === 'away') return { problems: [], away: facts.reason }
  if (facts.kind === 'refuses') {
    const what = `The database turns us away: ${facts.reason}.`
    return { problems: [{ what, next: 'Correct user, password and database in DATABASE_URL.' }] }
  }
  const problems: Problem[] = []
  const add = (what: string, next: string) => problems.push({ what, next })
  if (facts.careless.length > 0) {
    add(
      `The database runs with ${facts.careless.join(', ')}: a commit may be lost, and with it a payment that a node has.`,
      'Switch that on again in postgresql.conf.',
    )
  }
  if (facts.tooOld) {
    add(
      `The database is PostgreSQL ${facts.version}, and ${POSTGRESQL_MAJOR_MIN} or newer is needed.`,
      'Upgrade it, or name another one in DATABASE_URL.',
    )
  } else if (facts.unusable !== undefined) {
    add(`The database does not fit: ${facts.unusable}`, 'Start the version that belongs to it.')
  } else if (facts.missing.length > 0) {
    add(
      `The database's schema is behind by ${migrationsText(facts.missing)}.`,
      `Run: florin migrate. ${SERVE_CANNOT}`,
    )
  } else if (!facts.mayServe) {
    add(
      'The user of DATABASE_URL may not act as florin_service.',
      'As the owner of the database: GRANT florin_service TO that user.',
    )
  } else {
    problems.push(...(await contentProblems(url, key, log)))
  }
  return { problems }
}

async function contentProblems(
  url: Secret,
  key: SecretBytes | undefined,
  log: Log,
): Promise<readonly Problem[]> {
  const store = openStore({ url, log })
  const problems: Problem[] = []
  try {
    if (await store.inTransaction('service', holdsSandboxKeys)) {
      problems.push({
        what: 'The database holds wallets of a sandbox: real and worthless money would lie side by side.',
        next: 'Make a database of its own for production, and run florin migrate on it.',
      })
    }
    const refused = key === undefined ? undefined : await findKeyProblem({ store, text: key })
    if (refused !== undefined) {
      problems.push({
        what: `${refused.message.replace(/^the/, 'The')}.`,
        next: 'Then start again. Without the key that belongs to this database, nobody can open its wallets.',
      })
    }
    return problems
  } catch (error) {
    // It went away between two questions; the service waits for it like for one that never answered.
    if (error instanceof StoreUnavailable) return problems
    throw error
  } finally {
    await store.close()
  }
}
