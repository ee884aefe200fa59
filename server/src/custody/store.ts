import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { requireCurrentKey } from './key-encryption-key.ts'
import type { KeyWrapper } from './key-wrapper.ts'
import type { Wallet } from './wallet.ts'

interface WalletRow {
  readonly id: WalletId
  readonly account_id: AccountId
  readonly family: Family
  readonly address: Address
  readonly label: string | null
  readonly sealed_data_key: Uint8Array
  readonly sealed_private_key: Uint8Array
  readonly sandbox_instance: string | null
  readonly created_at: Date
}

const COLUMNS = `id, account_id, family, address, label, sealed_data_key, sealed_private_key,
  sandbox_instance, created_at`

function toWallet(row: WalletRow): Wallet {
  return {
    id: row.id,
    accountId: row.account_id,
    family: row.family,
    address: row.address,
    label: row.label,
    sealedDataKey: row.sealed_data_key,
    sealedPrivateKey: row.sealed_private_key,
    sandboxInstance: row.sandbox_instance,
    createdAtMilliseconds: row.created_at.getTime(),
  }
}

/** The account's wallet at this canonical address; undefined when absent, deleted or another account's: they look alike. */
export async function findWallet(
  tx: Tx,
  accountId: AccountId,
  family: Family,
  address: string,
): Promise<Wallet | undefined> {
  const rows = await tx.query<WalletRow>(
    'custody_find_wallet',
    `select ${COLUMNS} from wallets
      where account_id = $1 and family = $2 and address = $3 and deleted_at is null`,
    [accountId, family, address],
  )
  return rows[0] && toWallet(rows[0])
}

/** Where a wallet must be, and whose it must be. */
export interface AskedWallet {
  readonly accountId: AccountId
  readonly family: Family
  readonly address: string
}

/** `findWallet` for several at once, in the order of what was asked. */
export async function findWallets(
  tx: Tx,
  asked: readonly AskedWallet[],
): Promise<readonly (Wallet | undefined)[]> {
  const rows = await tx.query<WalletRow>(
    'custody_find_wallets',
    `select ${COLUMNS} from wallets
      join unnest($1::text[], $2::text[], $3::text[]) as asked (asked_account, asked_family, asked_address)
        on account_id = asked_account and family = asked_family and address = asked_address
      where deleted_at is null`,
    [
      asked.map(({ accountId }) => accountId),
      asked.map(({ family }) => family),
      asked.map(({ address }) => address),
    ],
  )
  const nameOf = ({ accountId, family, address }: AskedWallet) =>
    `${accountId} ${family} ${address}`
  const found = new Map(rows.map(toWallet).map((wallet) => [nameOf(wallet), wallet]))
  return asked.map((one) => found.get(nameOf(one)))
}

/** The account's wallet of this id, deleted or not: for a repeated request that made it. */
export async function readWallet(
  tx: Tx,
  accountId: AccountId,
  walletId: string,
): Promise<Wallet | undefined> {
  const rows = await tx.query<WalletRow>(
    'custody_read_wallet',
    `select ${COLUMNS} from wallets where account_id = $1 and id = $2`,
    [accountId, walletId],
  )
  return rows[0] && toWallet(rows[0])
}

/**
 * The wallet of this address whoever it belongs to, deleted or not: for the sender, which finishes what was signed.
 * Never for a request.
 */
export async function findWalletOfAddress(
  tx: Tx,
  family: Family,
  address: string,
): Promise<Wallet | undefined> {
  return (await findAnyWallet(tx, family, address))?.wallet
}

/** The wallet of this canonical address whoever it belongs to, and whether it was deleted: for whoever has the machine. Never for a request. */
export async function findAnyWallet(
  tx: Tx,
  family: Family,
  address: string,
): Promise<{ readonly wallet: Wallet; readonly isDeleted: boolean } | undefined> {
  const rows = await tx.query<WalletRow & { readonly deleted_at: Date | null }>(
    'custody_any_wallet_of_address',
    `select ${COLUMNS}, deleted_at from wallets where family = $1 and address = $2`,
    [family, address],
  )
  return rows[0] && { wallet: toWallet(rows[0]), isDeleted: rows[0].deleted_at !== null }
}

/** Whose a custodial address is. */
export interface AddressOwner {
  readonly walletId: WalletId
  readonly accountId: AccountId
}

/** The custodial ones among the addresses, whoever they belong to, deleted or not: for the followers. Never for a request. */
export async function ownersOf(
  tx: Tx,
  family: Family,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, AddressOwner>> {
  if (addresses.length === 0) return new Map()
  const rows = await tx.query<{ address: Address; id: WalletId; account_id: AccountId }>(
    'custody_owners',
    `select address, id, account_id from wallets where family = $1 and address = any($2)`,
    [family, addresses],
  )
  return new Map(rows.map((row) => [row.address, { walletId: row.id, accountId: row.account_id }]))
}

/** Wallets by id, whoever they belong to, deleted or not, in the order asked for: for the service's own work. Never for a request. */
export async function walletsById(
  tx: Tx,
  walletIds: readonly WalletId[],
): Promise<readonly Wallet[]> {
  const rows = await tx.query<WalletRow>(
    'custody_wallets_by_id',
    `select ${COLUMNS} from wallets where id = any($1) order by array_position($1::text[], id)`,
    [walletIds],
  )
  return rows.map(toWallet)
}

/** Whether a database has ever held keys of a sandbox. */
export async function holdsSandboxKeys(tx: Tx): Promise<boolean> {
  const rows = await tx.query<{ holds: boolean }>(
    'custody_holds_sandbox_keys',
    `select exists (select from wallets where sandbox_instance is not null) as holds`,
  )
  return rows[0]?.holds === true
}

/** An account's deleted wallets, the last deleted first, `walletsPerAccountMax` at most. */
export async function listDeletedWallets(tx: Tx, accountId: AccountId): Promise<readonly Wallet[]> {
  const rows = await tx.query<WalletRow>(
    'custody_list_deleted_wallets',
    `select ${COLUMNS} from wallets where account_id = $1 and deleted_at is not null
      order by deleted_at desc, id limit $2`,
    [accountId, limits.walletsPerAccountMax],
  )
  return rows.map(toWallet)
}

/** All of an account's wallets, oldest first; `walletsPerAccountMax` bounds them. */
export async function listWallets(tx: Tx, accountId: AccountId): Promise<readonly Wallet[]> {
  const rows = await tx.query<WalletRow>(
    'custody_list_wallets',
    `select ${COLUMNS} from wallets where account_id = $1 and deleted_at is null
      order by created_at, id limit $2`,
    [accountId, limits.walletsPerAccountMax],
  )
  return rows.map(toWallet)
}

/**
 * Stores a new wallet that this wrapper has sealed. Refuses INVALID_PARAMETERS when the account has `walletsPerAccountMax` already,
 * and as `requireCurrentKey` does.
 */
export async function insertWallet(tx: Tx, wrapper: KeyWrapper, wallet: Wallet): Promise<void> {
  await requireCurrentKey(tx, wrapper)
  await requireRoom(tx, wallet.accountId)
  await tx.query('custody_insert_wallet', INSERT, valuesOf(wallet))
}

/**
 * Stores a wallet unless there is one of its address already, whoever it belongs to, deleted or not; and gives the one that is
 * there then. Refuses as `insertWallet` does.
 */
export async function insertWalletOnce(
  tx: Tx,
  wrapper: KeyWrapper,
  wallet: Wallet,
): Promise<{ readonly wallet: Wallet; readonly isNew: boolean; readonly isDeleted: boolean }> {
  const { family, address } = wallet
  const found = async () => {
    const there = await findAnyWallet(tx, family, address)
    return there && { ...there, isNew: false }
  }
  const there = await found()
  if (there !== undefined) return there
  await requireCurrentKey(tx, wrapper)
  await requireRoom(tx, wallet.accountId)
  const inserted = await tx.query(
    'custody_insert_wallet_once',
    `${INSERT} on conflict (family, address) do nothing returning id`,
    valuesOf(wallet),
  )
  if (inserted.length === 1) return { wallet, isNew: true, isDeleted: false }
  const other = await found()
  if (other === undefined) throw new Error('a wallet was neither stored nor found')
  return other
}

/** Shows a deleted wallet again; false where it was not deleted any more. Refuses as `insertWallet` does. */
export async function restoreWallet(
  tx: Tx,
  accountId: AccountId,
  walletId: WalletId,
): Promise<boolean> {
  await requireRoom(tx, accountId)
  const rows = await tx.query(
    'custody_restore_wallet',
    `update wallets set deleted_at = null
     where id = $2 and account_id = $1 and deleted_at is not null returning id`,
    [accountId, walletId],
  )
  return rows.length === 1
}

const INSERT = `insert into wallets (id, account_id, family, address, label, sealed_data_key,
  sealed_private_key, sandbox_instance, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

function valuesOf(wallet: Wallet): readonly unknown[] {
  return [
    wallet.id,
    wallet.accountId,
    wallet.family,
    wallet.address,
    wallet.label,
    wallet.sealedDataKey,
    wallet.sealedPrivateKey,
    wallet.sandboxInstance,
    new Date(wallet.createdAtMilliseconds),
  ]
}

async function requireRoom(tx: Tx, accountId: AccountId): Promise<void> {
  // Creations of one account wait for each other, so that two at once cannot pass the count.
  await tx.query(
    'custody_lock_creation',
    `select pg_advisory_xact_lock(hashtextextended('florin-wallets-of-' || $1, 0))`,
    [accountId],
  )
  const counted = await tx.query<{ count: string }>(
    'custody_count_wallets',
    `select count(*) from wallets where account_id = $1 and deleted_at is null`,
    [accountId],
  )
  if (Number(counted[0]?.count ?? 0) >= limits.walletsPerAccountMax) {
    throw new Refusal('INVALID_PARAMETERS', {
      message: 'This account has as many wallets as it may have.',
      details: { wallets: `at most ${limits.walletsPerAccountMax} per account` },
    })
  }
}

/**
 * True when the wallet still exists, and keeps it existing until the transaction ends: a signing transaction asks
 * this after its lane lock, since a wallet found before may have been deleted meanwhile. Shared by all signers.
 */
export async function keepWallet(tx: Tx, walletId: WalletId): Promise<boolean> {
  const rows = await tx.query(
    'custody_keep_wallet',
    `select id from wallets where id = $1 and deleted_at is null for key share`,
    [walletId],
  )
  return rows.length === 1
}

/** Locks a wallet against every signer (`keepWallet`) until the transaction ends. False when it does not exist any more. */
export async function lockWallet(
  tx: Tx,
  accountId: AccountId,
  walletId: WalletId,
): Promise<boolean> {
  const rows = await tx.query(
    'custody_lock_wallet',
    `select id from wallets where id = $2 and account_id = $1 and deleted_at is null for update`,
    [accountId, walletId],
  )
  return rows.length === 1
}

/** Hides a wallet from its account. Its row and sealed key stay: money that arrives later is not lost. */
export async function markWalletDeleted(
  tx: Tx,
  accountId: AccountId,
  walletId: WalletId,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'custody_delete_wallet',
    `update wallets set deleted_at = $3 where id = $2 and account_id = $1 and deleted_at is null`,
    [accountId, walletId, new Date(nowMilliseconds)],
  )
}
