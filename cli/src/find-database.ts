import { readConfig } from '@florin/server/config.ts'
import type { Config } from '@florin/server/config.ts'
import type { Environment } from '@florin/server/data-directory.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { readDatabaseFile } from './database-file.ts'
import type { DatabaseAccess } from './database-file.ts'
import { dataPaths } from './data-paths.ts'
import { readOwner } from './owner-file.ts'
import { isRunning } from './process-identity.ts'
import { checkUsableDatabase } from './usable-database.ts'
import { CommandFailed } from './usage-error.ts'

/** The settings, or CommandFailed with everything that is wrong with them. */
export function configOrFail(environment: Environment): Config {
  const outcome = readConfig(environment)
  if (outcome.ok) return outcome.config
  throw new CommandFailed(['the settings cannot be used:', ...outcome.problems].join('\n  '))
}

/** As findDatabase, for commands that work on it as the service does. Throws CommandFailed also where nobody could, and says why. */
export async function findReadyDatabase(config: Config): Promise<DatabaseAccess> {
  const found = await findDatabase(config)
  const upIn = config.databaseUrl === null ? config.dataDirectory : undefined
  await checkUsableDatabase({ url: found.url, log: openLog('silent'), migrated: true, upIn })
  return found
}

/** The database of DATABASE_URL, else that of the running `up`. Throws CommandFailed that says what to start. */
export async function findDatabase({
  databaseUrl,
  dataDirectory,
  keyFile,
}: Config): Promise<DatabaseAccess> {
  const paths = dataPaths(dataDirectory)
  const owner = await readOwner(paths.owner)
  const isUp = owner !== undefined && owner.state !== 'stopping' && (await isRunning(owner))
  const running = isUp ? await readDatabaseFile(paths.database) : undefined
  if (databaseUrl !== null) {
    const same = running?.url.reveal() === databaseUrl.reveal()
    return { url: databaseUrl, keyFile, sandbox: same ? (running?.sandbox ?? null) : null }
  }
  if (running !== undefined) return running
  throw new CommandFailed(
    isUp
      ? `florin is still starting in ${dataDirectory}. Try again when it says that it is ready.`
      : `nothing runs in ${dataDirectory}. Start it with "npm start", or set DATABASE_URL or FLORIN_DATA_DIR.`,
  )
}
