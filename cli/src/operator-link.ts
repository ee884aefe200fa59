import { systemClock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { giveOperatorLink } from '@florin/server/people/give-link.ts'
import { openStore, StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Run } from './command.ts'
import { dataPaths } from './data-paths.ts'
import { configOrFail, findReadyDatabase } from './find-database.ts'
import { readOwner } from './owner-file.ts'
import { readArguments } from './read-arguments.ts'
import { ownUrl } from './serve/own-url.ts'
import { CommandFailed } from './usage-error.ts'

/** `florin operator-link`: whoever reaches the database may become its operator, or sign in as the one that there is. */
export const runOperatorLink: Run = async ({ args, environment, print, note }) => {
  const given = readArguments(args, { flags: ['email'], switches: ['json'] })
  const config = configOrFail(environment)
  const { url } = await findReadyDatabase(config)
  const owner =
    config.databaseUrl === null ? await readOwner(dataPaths(config.dataDirectory).owner) : undefined
  const store = openStore({ url, log: openLog('silent') })
  try {
    const deps = { store, clock: systemClock, random: systemRandom }
    const baseUrl = owner?.baseUrl ?? ownUrl(config)
    const email = given.flag('email')?.toLowerCase()
    const link = await giveOperatorLink(deps, baseUrl, email)
    if (link === undefined) throw new CommandFailed(`no operator has the address ${email ?? ''}`)
    const minutes = limits.operatorLinkSeconds / 60
    if (given.has('json')) {
      print(`${JSON.stringify({ link: link.reveal() })}\n`)
      return 0
    }
    // The link alone, so that a shell can keep it: LINK=$(florin operator-link).
    print(`${link.reveal()}\n`)
    note(`\nIt signs in once, within ${minutes} minutes.\n`)
    return 0
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw new CommandFailed('the database cannot be reached. Is it running?', { cause: error })
  } finally {
    await store.close()
  }
}
