import { openLog } from '@florin/server/kernel/log.ts'
import type { Run } from './command.ts'
import { configOrFail, findDatabase } from './find-database.ts'
import { migrateDatabase } from './migrate-database.ts'
import { migrationsText } from './migrations-text.ts'
import { readArguments } from './read-arguments.ts'
import { checkUsableDatabase } from './usable-database.ts'

/** `florin migrate`: applies what the database does not have, in order. Several at once take turns. */
export const runMigrate: Run = async ({ args, environment, print }) => {
  const json = readArguments(args, { switches: ['json'] }).has('json')
  const { url } = await findDatabase(configOrFail(environment))
  const log = openLog('silent')
  await checkUsableDatabase({ url, log })
  const { names } = await migrateDatabase({ url, log })
  if (json) print(`${JSON.stringify({ applied: names })}\n`)
  else if (names.length === 0) print('The schema is up to date: nothing was applied.\n')
  else print(`Applied ${migrationsText(names)}\n`)
  return 0
}
