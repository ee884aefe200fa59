import type { Log } from '@florin/server/kernel/log.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { lookAtDatabase } from '@florin/server/store/look-at-database.ts'
import { CommandFailed } from './usage-error.ts'

/** Looks whether a database lets this version in, and changes nothing. Throws CommandFailed that says what to look at. */
export async function checkUsableDatabase({ url, log }: { url: Secret; log: Log }): Promise<void> {
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
}
