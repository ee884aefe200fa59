import assert from 'node:assert/strict'
import type { Store, Tx } from '../store/postgres.ts'

/**
 * The sealed row of this name, made by `make` when there is none. When two instances start at once both make one,
 * the first to commit wins and both read the winner's.
 */
export async function storeInstallationSecretOnce(
  store: Store,
  name: string,
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const existing = await findInstallationSecret(store, name)
  if (existing) return existing
  const sealed = await make()
  return store.inTransaction('service', async (tx) => {
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

async function read(tx: Tx, name: string): Promise<Uint8Array | undefined> {
  const rows = await tx.query<{ sealed: Uint8Array }>(
    'custody_read_installation_secret',
    `select sealed from installation_secrets where name = $1`,
    [name],
  )
  return rows[0]?.sealed
}
