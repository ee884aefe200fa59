import type { CredentialId } from '../kernel/caller.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'

/** Whose ticket it is. */
export interface TicketHolder {
  readonly accountId: AccountId
  readonly keyId: CredentialId
}

export async function insertTicket(
  tx: Tx,
  { accountId, keyId }: TicketHolder,
  digest: Uint8Array,
  expiresAtMilliseconds: number,
): Promise<void> {
  await tx.query(
    'event_tickets_insert',
    `insert into event_tickets (digest, account_id, key_id, expires_at) values ($1, $2, $3, to_timestamp($4 / 1000.0))`,
    [digest, accountId, keyId, expiresAtMilliseconds],
  )
}

/** Takes the ticket, so that it is gone: of two that bring it one alone is told whose it was. */
export async function takeTicket(
  store: Pick<Store, 'inTransaction'>,
  digest: Uint8Array,
  nowMilliseconds: number,
): Promise<TicketHolder | undefined> {
  const rows = await store.inTransaction('service', (tx) =>
    tx.query<{ account_id: AccountId; key_id: CredentialId; is_live: boolean }>(
      'event_tickets_take',
      `delete from event_tickets where digest = $1
       returning account_id, key_id, expires_at > to_timestamp($2 / 1000.0) as is_live`,
      [digest, nowMilliseconds],
    ),
  )
  const row = rows[0]
  return row?.is_live ? { accountId: row.account_id, keyId: row.key_id } : undefined
}

/** Removes tickets that nobody used in time. Says how many. */
export async function forgetTickets(
  tx: Tx,
  nowMilliseconds: number,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'event_tickets_forget',
    `delete from event_tickets where digest in (
       select digest from event_tickets where expires_at < to_timestamp($1 / 1000.0) order by expires_at limit $2)
     returning 1`,
    [nowMilliseconds, count],
  )
  return removed.length
}
