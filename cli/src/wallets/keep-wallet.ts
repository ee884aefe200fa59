import type { Audit } from '@florin/server/audit/audit.ts'
import { SYSTEM } from '@florin/server/audit/entry.ts'
import { bringBackWallet } from '@florin/server/custody/bring-back-wallet.ts'
import type { BroughtBack } from '@florin/server/custody/bring-back-wallet.ts'
import type { Custody } from '@florin/server/custody/create-wallet.ts'
import { importWallet } from '@florin/server/custody/import-wallet.ts'
import type { ImportedWallet, ImportOrder } from '@florin/server/custody/import-wallet.ts'
import { insertWallet } from '@florin/server/custody/store.ts'
import type { Wallet } from '@florin/server/custody/wallet.ts'
import { changeSettler } from '@florin/server/facilitator/change-settler.ts'
import type { ChangedSettler } from '@florin/server/facilitator/change-settler.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Store, Tx } from '@florin/server/store/postgres.ts'

type Parts = Books & { readonly networks: readonly NetworkConfig[]; readonly clock: Clock }

interface Books {
  readonly store: Store
  readonly audit: Audit
}

/** Stores a new wallet and notes it in its account's audit log, as the work of whoever has the machine. */
export async function keepNewWallet(
  { store, audit, custody }: Books & { readonly custody: Custody },
  fresh: Wallet,
): Promise<void> {
  await store.inTransaction(fresh.accountId, async (tx) => {
    await insertWallet(tx, custody.wrapper, fresh)
    await note(tx, audit, fresh, 'wallet.created')
  })
}

/** Imports a key as importWallet does; a wallet that this makes or brings back is noted likewise. */
export async function keepImported(
  { store, audit, custody }: Books & { readonly custody: Custody },
  order: ImportOrder,
): Promise<ImportedWallet> {
  const changed = (tx: Tx, { wallet, was }: ImportedWallet) =>
    note(tx, audit, wallet, was === 'restored' ? 'wallet.restored' : 'wallet.imported')
  return await importWallet({ store, custody, changed }, order)
}

/** Brings a deleted wallet back as bringBackWallet does, and notes it likewise. */
export async function keepBroughtBack(
  { store, audit, networks }: Books & { readonly networks: readonly NetworkConfig[] },
  place: Parameters<typeof bringBackWallet>[1],
): Promise<BroughtBack> {
  const changed = (tx: Tx, wallet: Wallet) => note(tx, audit, wallet, 'wallet.restored')
  return await bringBackWallet({ store, networks, changed }, place)
}

/** Appoints or retires a wallet as changeSettler does, and notes it likewise. */
export async function keepSettler(
  { store, audit, networks, clock }: Parts,
  place: Parameters<typeof changeSettler>[1],
  settles: boolean,
): Promise<ChangedSettler> {
  const action = settles ? 'wallet.appointed' : 'wallet.retired'
  const changed = (tx: Tx, wallet: Wallet) => note(tx, audit, wallet, action)
  return await changeSettler({ store, clock, networks, changed }, place, settles)
}

async function note(
  tx: Tx,
  audit: Audit,
  { id, accountId, address, family, label }: Wallet,
  action: string,
): Promise<void> {
  const details = { address, family, label }
  await audit.note(tx, { accountId, actor: SYSTEM, action, object: id, details })
}
