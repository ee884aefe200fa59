import type { Tx } from '../store/postgres.ts'
import type { SecretOwner } from './secret.ts'

/** The secrets of an endpoint as they are kept; the previous one as long as the row has it, whether it still signs or not. */
export interface KeptSecrets {
  readonly id: SecretOwner['webhookId']
  readonly accountId: SecretOwner['accountId']
  readonly current: Uint8Array
  readonly previous: Uint8Array | null
}

/** The secrets of the next endpoints by id, deleted or not. */
export async function readSecrets(
  tx: Tx,
  behind: string,
  rowsMax: number,
): Promise<readonly KeptSecrets[]> {
  const rows = await tx.query<
    Omit<KeptSecrets, 'accountId'> & { readonly account_id: KeptSecrets['accountId'] }
  >(
    'webhook_read_secrets',
    `select id, account_id, sealed_secret as current, sealed_previous_secret as previous from webhooks
      where id > $1 order by id limit $2`,
    [behind, rowsMax],
  )
  return rows.map(({ account_id, ...secrets }) => ({ ...secrets, accountId: account_id }))
}

/** Puts other sealed texts in the place of these endpoints' own. */
export async function replaceSecrets(tx: Tx, fresh: readonly KeptSecrets[]): Promise<void> {
  const bytesOf = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes)
  await tx.query(
    'webhook_replace_secrets',
    `update webhooks set sealed_secret = fresh.current, sealed_previous_secret = fresh.previous
       from unnest($1::text[], $2::bytea[], $3::bytea[]) as fresh (id, current, previous)
      where webhooks.id = fresh.id`,
    [
      fresh.map(({ id }) => id),
      fresh.map(({ current }) => bytesOf(current)),
      fresh.map(({ previous }) => bytesOf(previous)),
    ],
  )
}
