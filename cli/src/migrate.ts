import { openLog } from '@florin/server/kernel/log.ts'
import { lookAtDatabase } from '@florin/server/store/look-at-database.ts'
import { migrate } from '@florin/server/store/migrate.ts'
import type { Run } from './command.ts'
import { configOrFail, findDatabase } from './find-database.ts'
import { readArguments } from './read-arguments.ts'
import { CommandFailed } from './usage-error.ts'

/** `florin migrate`: applies what the database does not have, in order. Several at once take turns. */
export const runMigrate: Run = async ({ args, environment, print }) => {
  const json = readArguments(args, { switches: ['json'] }).has('json')
  const { url } = await findDatabase(configOrFail(environment))
  const log = openLog('silent')
  const facts = await lookAtDatabase({ url, log })
  if (facts.kind === 'away') {
    throw new CommandFailed(`the database does not answer (${facts.reason}). Is it running?`)
  }
  if (facts.kind === 'refuses') {
    throw new CommandFailed(`the database turns us away: ${facts.reason}. Check DATABASE_URL.`)
  }
  if (facts.unusable !== undefined) throw new CommandFailed(facts.unusable)
  const { names } = await migrate({ url, log })
  if (json) print(`${JSON.stringify({ applied: names })}\n`)
  else if (names.length === 0) print('The schema is up to date: nothing was applied.\n')
  else print(['Applied:', ...names.map((name) => `  ${name}`), ''].join('\n'))
  return 0
}
