import assert from 'node:assert/strict'
import type { Store, Tx } from '../store/postgres.ts'

/** What tells the key-encryption key itself; every other row is sealed under it. */
export const KEY_ROW = 'key-encryption-key'

/**
 * The sealed row of this name, made by `make` when there is none. When two instances start at once both make one,
 * the first to commit wins and both read the winner's.
 */
export async function storeInstallationSecretOnce(
  store: Store,
  name: string,
  make: () => Promise<Uint8Array>,
  /** Asked in the transaction that stores it. */
  mayStore: (tx: Tx) => Promise<void> = async () => {},
): Promise<Uint8Array> {
  const existing = await findInstallationSecret(store, name)
  if (existing) return existing
  const sealed = await make()
  return store.inTransaction('service', async (tx) => {
    await mayStore(tx)
    await tx.query(
      'custody_insert_installation_secret',
      `insert into installation_secrets (name, sealed) values ($1, $2) on conflict (name) do nothing`,
      [name, sealed],
    )
    const stored = await read(tx, name)
    assert(stored, 'an installation secret that was inserted can be read')
    return stored
  })
}

/** The sealed row of this name, undefined when none was made yet. */
export async function findInstallationSecret(
  store: Store,
  name: string,
): Promise<Uint8Array | undefined> {
  return await store.inTransaction('service', (tx) => read(tx, name))
}

/**
 * The row of the key-encryption key, held until the transaction ends; undefined when there is none. `share`: it stays as it is, for whoever seals
 * something. `update`: for who is about to change it, which waits for all that share it, and they for this.
 */
export async function holdKeyRow(tx: Tx, how: 'share' | 'update'): Promise<Uint8Array | undefined> {
  const rows = await tx.query<{ sealed: Uint8Array }>(
    `custody_hold_key_row_${how}`,
    `select sealed from installation_secrets where name = $1 for ${how}`,
    [KEY_ROW],
  )
  return rows[0]?.sealed
}

/** Every row of this table with its name, that of the key-encryption key among them. */
export async function listInstallationSecrets(
  tx: Tx,
): Promise<readonly { readonly name: string; readonly sealed: Uint8Array }[]> {
  return await tx.query(
    'custody_list_installation_secrets',
    `select name, sealed from installation_secrets order by name`,
  )
}

/** Puts another sealed text in the place of one. */
export async function replaceInstallationSecret(
  tx: Tx,
  name: string,
  sealed: Uint8Array,
): Promise<void> {
  await tx.query(
    'custody_replace_installation_secret',
    `update installation_secrets set sealed = $2 where name = $1`,
    [name, sealed],
  )
}

async function read(tx: Tx, name: string): Promise<Uint8Array | undefined> {
  const rows = await tx.query<{ sealed: Uint8Array }>(
    'custody_read_installation_secret',
    `select sealed from installation_secrets where name = $1`,
    [name],
  )
  return rows[0]?.sealed
}
