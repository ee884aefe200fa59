import type { Tx } from '../store/postgres.ts'
import type { KeyOwner } from './wallet-key.ts'

/** A wallet's data key as it is kept, and whose it is. */
export interface KeptDataKey {
  readonly id: KeyOwner['walletId']
  readonly owner: KeyOwner
  readonly sealedDataKey: Uint8Array
}

/** The data keys of the next wallets by id, deleted or not. */
export async function readDataKeys(
  tx: Tx,
  behind: string,
  rowsMax: number,
): Promise<readonly KeptDataKey[]> {
  const rows = await tx.query<{
    readonly id: KeyOwner['walletId']
    readonly account_id: KeyOwner['accountId']
    readonly family: KeyOwner['family']
    readonly address: string
    readonly sandbox_instance: string | null
    readonly sealed_data_key: Uint8Array
  }>(
    'custody_read_data_keys',
    `select id, account_id, family, address, sandbox_instance, sealed_data_key from wallets
      where id > $1 order by id limit $2`,
    [behind, rowsMax],
  )
  return rows.map(({ id, account_id, family, address, sandbox_instance, sealed_data_key }) => ({
    id,
    owner: {
      walletId: id,
      accountId: account_id,
      family,
      address,
      sandboxInstance: sandbox_instance,
    },
    sealedDataKey: sealed_data_key,
  }))
}

/** Puts other sealed data keys in the place of these wallets' own. */
export async function replaceDataKeys(
  tx: Tx,
  fresh: readonly Pick<KeptDataKey, 'id' | 'sealedDataKey'>[],
): Promise<void> {
  await tx.query(
    'custody_replace_data_keys',
    `update wallets set sealed_data_key = fresh.sealed
       from unnest($1::text[], $2::bytea[]) as fresh (id, sealed) where wallets.id = fresh.id`,
    [fresh.map(({ id }) => id), fresh.map(({ sealedDataKey }) => Buffer.from(sealedDataKey))],
  )
}
