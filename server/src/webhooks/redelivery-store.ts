import type { Tx } from '../store/postgres.ts'
import type { NewDelivery } from './delivery.ts'

/** Whoever adds deliveries to be sent again to an endpoint does it alone, to the end of its transaction. */
export async function lockRedeliveries(tx: Tx, webhookId: string): Promise<void> {
  await tx.query(
    'redelivery_lock',
    `select pg_advisory_xact_lock(hashtextextended('florin-redeliveries ' || $1::text, 0))`,
    [webhookId],
  )
}

/** How many deliveries of an endpoint wait to be sent again; counted up to `max`. */
export async function countRedeliveries(
  tx: Tx,
  { accountId, webhookId }: Pick<NewDelivery, 'accountId' | 'webhookId'>,
  max: number,
): Promise<number> {
  const [row] = await tx.query<{ count: string }>(
    'redelivery_count',
    `select count(*) as count from (select from webhook_deliveries
       where account_id = $1 and webhook_id = $2 and status = 'waiting' and redelivery_of is not null limit $3) as waiting`,
    [accountId, webhookId, max],
  )
  return Number(row?.count)
}
