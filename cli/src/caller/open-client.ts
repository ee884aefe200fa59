import { Florin } from '@florin/sdk'
import { dataDirectoryFrom } from '@florin/server/data-directory.ts'
import type { Environment } from '@florin/server/data-directory.ts'
import { dataPaths } from '../data-paths.ts'
import { readOwner } from '../owner-file.ts'
import { isRunning } from '../process-identity.ts'
import { readSandboxFile } from '../sandbox-file.ts'
import { CommandFailed } from '../usage-error.ts'

/** A person waits: give up sooner than a program would, and say so. */
const RETRY = { triesMax: 5, totalMilliseconds: 30_000 }

/**
 * The service that a command talks to: FLORIN_BASE_URL with FLORIN_API_KEY, else the sandbox that runs here with its
 * own key. Never one's key with the other's address. @throws CommandFailed that says what to set or start.
 */
export async function openClient(environment: Environment): Promise<Florin> {
  const baseUrl = environment['FLORIN_BASE_URL']?.trim() ?? ''
  const apiKey = environment['FLORIN_API_KEY']?.trim() ?? ''
  if (baseUrl !== '' && apiKey !== '') return new Florin({ baseUrl, apiKey, retry: RETRY })
  if (baseUrl !== '' || apiKey !== '') {
    const [set, missing] =
      baseUrl === '' ? ['FLORIN_API_KEY', 'FLORIN_BASE_URL'] : ['FLORIN_BASE_URL', 'FLORIN_API_KEY']
    throw new CommandFailed(
      `${set} is set and ${missing} is not. Set both, or neither for the sandbox that runs here.`,
    )
  }
  const directory = dataDirectoryFrom(environment, process.cwd())
  const paths = dataPaths(directory)
  const owner = await readOwner(paths.owner)
  const isUp = owner !== undefined && owner.state !== 'stopping' && (await isRunning(owner))
  const file = isUp ? await readSandboxFile(paths.sandboxFile) : undefined
  if (file === undefined || file.pid !== owner?.pid) {
    throw new CommandFailed(
      isUp && owner.state === 'starting'
        ? `florin is still starting in ${directory}. Try again when it says that it is ready.`
        : `no sandbox runs in ${directory}. Start one with "npm start", or set FLORIN_BASE_URL and FLORIN_API_KEY.`,
    )
  }
  return new Florin({ baseUrl: file.baseUrl, apiKey: file.apiKeys.standard, retry: RETRY })
}
