import { KeyUnusable, readKeyFile } from '@florin/server/custody/key-file.ts'
import { resealInstallationSecrets } from '@florin/server/custody/installation-secrets.ts'
import { rekey } from '@florin/server/custody/rekey.ts'
import type { Rekeyed } from '@florin/server/custody/rekey.ts'
import { resealWallets } from '@florin/server/custody/reseal-wallets.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import type { SecretBytes } from '@florin/server/kernel/secret.ts'
import { countConnectedInstances } from '@florin/server/store/connected-instances.ts'
import { CommitUnknown, openStore, StoreUnavailable } from '@florin/server/store/postgres.ts'
import { resealWebhookSecrets } from '@florin/server/webhooks/reseal-secrets.ts'
import type { Run } from './command.ts'
import { configOrFail, findReadyDatabase } from './find-database.ts'
import { readKeyText } from './key-text.ts'
import { readArguments } from './read-arguments.ts'
import { weaknessOfKey } from './serve/weak-secret.ts'
import { CommandFailed } from './usage-error.ts'

/** Everything that is sealed under the key-encryption key: a test holds it against the columns that there are. */
const RESEALS = [
  { what: 'wallets', reseal: resealWallets },
  { what: 'webhooks', reseal: resealWebhookSecrets },
  { what: 'secrets of the installation', reseal: resealInstallationSecrets },
]

/** `florin rekey`: seals every key under another key-encryption key, whole or not at all, with no instance running. */
export const runRekey: Run = async ({ args, environment, print, note }) => {
  const given = readArguments(args, { switches: ['json'], positionals: ['NEW_KEY_FILE'] })
  const path = given.positionals[0] ?? ''
  const config = configOrFail(environment)
  if (config.databaseUrl === null) {
    throw new CommandFailed(
      'a sandbox keeps the key that it was made with: this is for an installation with a database of its own (DATABASE_URL)',
    )
  }
  const after = await readNewKey(path)
  const { url, keyFile } = await findReadyDatabase(config)
  const before = await readKeyText(config, keyFile)
  const store = openStore({ url, log: openLog('silent') })
  try {
    const instances = await countConnectedInstances(url)
    if (instances > 0) {
      throw new CommandFailed(
        `stop every instance first: ${instances === 1 ? 'one is' : `${instances} are`} connected to this database. Nothing was changed.`,
      )
    }
    const rekeyed = await rekey(
      { store, random: systemRandom, reseals: RESEALS },
      { before, after },
    )
    print(given.has('json') ? `${JSON.stringify(rekeyed)}\n` : inWords(rekeyed, path))
    if (rekeyed.kind === 'done' && !given.has('json')) note(NEXT)
    return 0
  } catch (error) {
    if (error instanceof KeyUnusable) throw new CommandFailed(error.message, { cause: error })
    // Whether it was done or not, one of the keys opens everything.
    const isUnseen = error instanceof CommitUnknown
    if (!isUnseen && !(error instanceof StoreUnavailable)) throw error
    const what = isUnseen ? 'gave no answer to the end of it' : 'cannot be reached, or gave up'
    const again = 'Run this again: it says whether it was done before.'
    throw new CommandFailed(`the database ${what}. ${again}`, { cause: error })
  } finally {
    before.erase()
    after.erase()
    await store.close()
  }
}

const NEXT =
  'Before an instance starts: put the new key where the old one is, or FLORIN_KEY_FILE (FLORIN_KEY) to it, on every machine.\n' +
  'Keep the old key, apart, for as long as you keep backups from before: they open with nothing else.\n'

function inWords(rekeyed: Rekeyed, path: string): string {
  switch (rekeyed.kind) {
    case 'done': {
      const counts = rekeyed.sealedAnew.map(({ what, count }) => `${what} ${count}`).join(', ')
      return `Sealed anew under the key of ${path}: ${counts}.\n`
    }
    case 'done before':
      return `Everything is sealed under the key of ${path} already. Nothing was changed.\n`
    case 'nothing there':
      return `Nothing is sealed in this database yet: start with the key of ${path} right away.\n`
    default:
      return rekeyed satisfies never
  }
}

async function readNewKey(path: string): Promise<SecretBytes> {
  const make = `Make one: (umask 077; openssl rand -hex 32 > ${path})`
  try {
    const text = await readKeyFile(path)
    if (text === undefined) throw new CommandFailed(`${path} is not there. ${make}`)
    const weakness = weaknessOfKey(new TextDecoder().decode(text.reveal()))
    if (weakness === undefined) return text
    throw new CommandFailed(`the key of ${path} is weak: ${weakness}. ${make}`)
  } catch (error) {
    if (error instanceof KeyUnusable) throw new CommandFailed(error.message, { cause: error })
    throw error
  }
}
