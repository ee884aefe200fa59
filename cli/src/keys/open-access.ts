import { openFirstAccount } from '@florin/server/access/create-account.ts'
import type { KeyMode } from '@florin/server/access/key.ts'
import { openAudit } from '@florin/server/audit/audit.ts'
import type { Audit } from '@florin/server/audit/audit.ts'
import { loadInstallationSecret } from '@florin/server/custody/installation-secrets.ts'
import { openKeyEncryptionKey } from '@florin/server/custody/key-encryption-key.ts'
import { KeyUnusable } from '@florin/server/custody/key-file.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import type { Environment } from '@florin/server/data-directory.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { AccountId } from '@florin/server/kernel/id.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import type { Random } from '@florin/server/kernel/random.ts'
import type { SecretBytes } from '@florin/server/kernel/secret.ts'
import { openStore, StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import { configOrFail, findReadyDatabase } from '../find-database.ts'
import { readKeyText } from '../key-text.ts'
import { CommandFailed } from '../usage-error.ts'

const FIRST_ACCOUNT = 'Operator'

/** What the commands about keys work on: the installation's first account. */
export interface Access {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly audit: Audit
  readonly accountId: AccountId
  readonly mode: KeyMode
  /** The key under which API keys are digested. Opens the key file, which takes a moment. */
  pepper(): Promise<SecretBytes>
}

/** Runs work on the database of DATABASE_URL, else on that of the running `up`. */
export async function withAccess<T>(
  environment: Environment,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  const config = configOrFail(environment)
  const { url, keyFile, sandbox } = await findReadyDatabase(config)
  const deps = { clock: systemClock, random: systemRandom }
  const store = openStore({ url, log: openLog('silent') })
  try {
    const { accountId } = await openFirstAccount({ ...deps, store }, FIRST_ACCOUNT)
    const pepper = async () => {
      const text = await readKeyText(config, keyFile)
      const keyEncryptionKey = await openKeyEncryptionKey({ store, text, random: deps.random })
      const wrapper = localKeyWrapper({ keyEncryptionKey, random: deps.random })
      return await loadInstallationSecret({ store, wrapper, random: deps.random }, 'key-pepper')
    }
    return await work({
      ...deps,
      store,
      audit: openAudit(deps),
      accountId,
      mode: sandbox === null ? 'live' : 'test',
      pepper,
    })
  } catch (error) {
    if (error instanceof KeyUnusable) throw new CommandFailed(error.message, { cause: error })
    if (!(error instanceof StoreUnavailable)) throw error
    throw new CommandFailed('the database cannot be reached. Is it running?', { cause: error })
  } finally {
    await store.close()
  }
}
