import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Custody } from './create-wallet.ts'
import { insertWalletOnce, restoreWallet } from './store.ts'
import { keyDomain } from './wallet.ts'
import type { Wallet } from './wallet.ts'
import { sealWalletKey } from './wallet-key.ts'

export interface ImportOrder {
  readonly accountId: AccountId
  readonly family: Family
  /** For a new wallet; one that is there keeps its own. */
  readonly label: string | null
  /** Stays the caller's to erase. */
  readonly privateKey: SecretBytes
}

export interface ImportedWallet {
  readonly wallet: Wallet
  /** `restored`: the account had deleted it. */
  readonly was: 'new' | 'there' | 'restored'
}

/**
 * Makes a wallet of a key that was used elsewhere, sealed like any other; the same key again gives the same wallet. Refuses
 * UNSUPPORTED_NETWORK when the family has no enabled network, and INVALID_PARAMETERS for another account's or another sandbox's
 * key. What the key did before is the caller's to look at.
 */
export async function importWallet(
  {
    store,
    custody,
    changed = async () => {},
  }: {
    readonly store: Store
    readonly custody: Custody
    /** Called in the transaction that makes or restores the wallet. */
    readonly changed?: (tx: Tx, imported: ImportedWallet) => Promise<void>
  },
  { accountId, family, label, privateKey }: ImportOrder,
): Promise<ImportedWallet> {
  const scheme = custody.schemes.find((candidate) => candidate.family === family)
  const sandboxInstance = keyDomain(custody.networks, family)
  if (!scheme || sandboxInstance === undefined) {
    throw new Refusal('UNSUPPORTED_NETWORK', { details: { family: 'no enabled network' } })
  }
  const id = newId(custody.random, 'wal')
  const address = scheme.addressOf(privateKey)
  const owner = { walletId: id, accountId, family, address, sandboxInstance }
  const sealed = await sealWalletKey(custody, owner, privateKey)
  const createdAtMilliseconds = custody.clock.nowMilliseconds()
  const facts = { id, accountId, family, address, label, sandboxInstance, createdAtMilliseconds }
  // Not in the account's own scope: the address may be another's.
  return await store.inTransaction('service', async (tx) => {
    const { wallet, isNew, isDeleted } = await insertWalletOnce(tx, custody.wrapper, {
      ...facts,
      ...sealed,
    })
    if (isNew) {
      await changed(tx, { wallet, was: 'new' })
      return { wallet, was: 'new' }
    }
    if (wallet.accountId !== accountId) throw refused('This key belongs to another account.')
    if (wallet.sandboxInstance !== sandboxInstance) throw refused('This key is of another sandbox.')
    if (!isDeleted || !(await restoreWallet(tx, accountId, wallet.id)))
      return { wallet, was: 'there' }
    await changed(tx, { wallet, was: 'restored' })
    return { wallet, was: 'restored' }
  })
}

function refused(message: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { message })
}
