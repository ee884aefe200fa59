import { hasAccount } from '@florin/server/access/store.ts'
import { openFirstAccount } from '@florin/server/access/create-account.ts'
import { openAudit } from '@florin/server/audit/audit.ts'
import type { Audit } from '@florin/server/audit/audit.ts'
import type { Custody } from '@florin/server/custody/create-wallet.ts'
import { evmKeys } from '@florin/server/custody/evm-keys.ts'
import { openKeyEncryptionKey } from '@florin/server/custody/key-encryption-key.ts'
import { KeyUnusable } from '@florin/server/custody/key-file.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import { solanaKeys } from '@florin/server/custody/solana-keys.ts'
import type { Environment } from '@florin/server/data-directory.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { parseId } from '@florin/server/kernel/id.ts'
import type { AccountId } from '@florin/server/kernel/id.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { openStore, StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import { configOrFail, findReadyDatabase } from '../find-database.ts'
import { readKeyText } from '../key-text.ts'
import { networksOf } from '../networks-of.ts'
import { CommandFailed, UsageError } from '../usage-error.ts'

const FIRST_ACCOUNT = 'Operator'
const clock = systemClock
const random = systemRandom

/** What the commands about wallets work on. */
export interface WalletWork {
  readonly store: Store
  readonly accountId: AccountId
  readonly networks: readonly NetworkConfig[]
  readonly audit: Audit
  /** Opens the key-encryption key, which takes a moment. */
  custody(): Promise<Custody>
}

/**
 * Runs work on the database of DATABASE_URL, else on that of the running `up`, for an account: the one named, else the
 * installation's first.
 */
export async function withWallets<T>(
  environment: Environment,
  account: string | undefined,
  work: (access: WalletWork) => Promise<T>,
): Promise<T> {
  const named = account === undefined ? undefined : parseId('acct', account)
  if (account !== undefined && named === undefined) {
    throw new UsageError(`"${account}" is not the id of an account (acct_...)`)
  }
  const config = configOrFail(environment)
  const database = await findReadyDatabase(config)
  const networks = await networksOf(config, database)
  const store = openStore({ url: database.url, log: openLog('silent') })
  try {
    const accountId =
      named ?? (await openFirstAccount({ store, clock, random }, FIRST_ACCOUNT)).accountId
    if (!(await store.inTransaction('service', (tx) => hasAccount(tx, accountId)))) {
      throw new CommandFailed(`there is no account ${accountId}`)
    }
    const custody = async (): Promise<Custody> => {
      const text = await readKeyText(config, database.keyFile)
      const keyEncryptionKey = await openKeyEncryptionKey({ store, text, random })
      const wrapper = localKeyWrapper({ keyEncryptionKey, random })
      return {
        wrapper,
        schemes: [evmKeys({ random }), solanaKeys({ random })],
        networks,
        random,
        clock,
      }
    }
    return await work({ store, audit: openAudit({ clock, random }), accountId, networks, custody })
  } catch (error) {
    if (error instanceof KeyUnusable) throw new CommandFailed(error.message, { cause: error })
    if (!(error instanceof StoreUnavailable)) throw error
    throw new CommandFailed('the database cannot be reached. Is it running?', { cause: error })
  } finally {
    await store.close()
  }
}
