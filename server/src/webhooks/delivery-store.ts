import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { DeliveryStatus } from '@florin/wire/webhook.ts'
import type { AccountId, DeliveryId, EventId, WebhookId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Attempt, Delivery, NewDelivery } from './delivery.ts'

/** A delivery as it is stored. */
export interface DeliveryRow {
  readonly id: DeliveryId
  readonly webhook_id: WebhookId
  readonly event_id: EventId
  readonly type: AccountEventType
  readonly lane: string
  readonly status: DeliveryStatus
  readonly redelivery_of: DeliveryId | null
  readonly attempts: number
  readonly log: readonly Attempt[]
  readonly body: string
  readonly due_at: Date | null
  readonly created_at: Date
  readonly ended_at: Date | null
}

/** What is read of a delivery. */
export const DELIVERY_COLUMNS = `id, webhook_id, event_id, type, lane, status, redelivery_of, attempts, log, body, due_at, created_at, ended_at`

/** What was read. */
export function deliveryOf(row: DeliveryRow): Delivery & { readonly lane: string } {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    type: row.type,
    lane: row.lane,
    status: row.status,
    redeliveryOf: row.redelivery_of,
    attempts: row.attempts,
    log: row.log,
    body: row.body,
    dueAtMilliseconds: row.due_at?.getTime() ?? null,
    createdAtMilliseconds: row.created_at.getTime(),
    endedAtMilliseconds: row.ended_at?.getTime() ?? null,
  }
}

/** The name of a lane. */
const nameOf = ({ webhookId, lane }: Pick<NewDelivery, 'webhookId' | 'lane'>) =>
  `${webhookId} ${lane}`

/** "whk" in ASCII: the class of the lanes' locks. */
const LANE_LOCKS = 0x77686b
/** Lanes share so many locks, since the database keeps all locks of a transaction in a table of a fixed size. */
const LANE_LOCKS_MAX = 256

/** Whoever adds to a lane, or ends what is at its front, does it alone. Taken in one order, so that two never deadlock. */
export async function lockLanes(
  tx: Tx,
  lanes: readonly Pick<NewDelivery, 'webhookId' | 'lane'>[],
): Promise<void> {
  await tx.query(
    'delivery_lock_lanes',
    `select pg_advisory_xact_lock($2::integer, lock) from (
       select distinct abs(hashtext(name) % $3::integer) as lock from unnest($1::text[]) as name order by 1) locks`,
    [lanes.map(nameOf), LANE_LOCKS, LANE_LOCKS_MAX],
  )
}

/**
 * Stores deliveries in the order in which they are given. The first of a lane in which nothing waits is due at once; the others stand
 * behind it. Lanes are locked in one order, so that two that enqueue never deadlock.
 */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const lanes = [...new Map(deliveries.map((one) => [nameOf(one), one])).values()]
  await lockLanes(tx, lanes)
  const busy = await tx.query<{ webhook_id: WebhookId; lane: string }>(
    'delivery_busy_lanes',
    `select asked.webhook_id, asked.lane from unnest($1::text[], $2::text[]) as asked (webhook_id, lane)
     where exists (select from webhook_deliveries d
       where d.webhook_id = asked.webhook_id and d.lane = asked.lane and d.status = 'waiting')`,
    [lanes.map(({ webhookId }) => webhookId), lanes.map(({ lane }) => lane)],
  )
  const taken = new Set(busy.map((row) => nameOf({ webhookId: row.webhook_id, lane: row.lane })))
  const rows = deliveries.map((delivery) => {
    const name = nameOf(delivery)
    const isFirst = !taken.has(name)
    taken.add(name)
    return { delivery, isFirst }
  })
  for (let start = 0; start < rows.length; start += limits.webhookRowsPerStatementMax) {
    await insertRows(tx, rows.slice(start, start + limits.webhookRowsPerStatementMax))
  }
}

async function insertRows(
  tx: Tx,
  rows: readonly { readonly delivery: NewDelivery; readonly isFirst: boolean }[],
): Promise<void> {
  await tx.query(
    'delivery_insert',
    `insert into webhook_deliveries (id, account_id, webhook_id, event_id, type, lane, redelivery_of, body, due_at)
     select id, account_id, webhook_id, event_id, type, lane, redelivery_of, body, case when is_first then now() end
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::boolean[]) with ordinality
       as d (id, account_id, webhook_id, event_id, type, lane, redelivery_of, body, is_first, place)
     order by place`,
    [
      rows.map(({ delivery }) => delivery.id),
      rows.map(({ delivery }) => delivery.accountId),
      rows.map(({ delivery }) => delivery.webhookId),
      rows.map(({ delivery }) => delivery.eventId),
      rows.map(({ delivery }) => delivery.type),
      rows.map(({ delivery }) => delivery.lane),
      rows.map(({ delivery }) => delivery.redeliveryOf),
      rows.map(({ delivery }) => delivery.body),
      rows.map(({ isFirst }) => isFirst),
    ],
  )
}

/** A page of an endpoint's deliveries, newest first: those that stand before one, and those that were recorded by a time. */
export async function listDeliveries(
  tx: Tx,
  { accountId, webhookId }: { readonly accountId: AccountId; readonly webhookId: WebhookId },
  page: {
    readonly status: DeliveryStatus | undefined
    readonly before?: string | undefined
    readonly uptoMilliseconds?: number
    readonly count: number
  },
): Promise<readonly Delivery[]> {
  const rows = await tx.query<DeliveryRow>(
    'delivery_list',
    `select ${DELIVERY_COLUMNS} from webhook_deliveries
     where account_id = $1 and webhook_id = $2 and ($3::text is null or status = $3)
       and ($4::text is null or position < (select position from webhook_deliveries
         where id = $4 and account_id = $1 and webhook_id = $2))
       -- A time that a caller carries has lost its microseconds.
       and ($6::double precision is null or created_at < to_timestamp(($6 + 1) / 1000.0))
     order by position desc limit $5`,
    [
      accountId,
      webhookId,
      page.status ?? null,
      page.before ?? null,
      page.count,
      page.uptoMilliseconds ?? null,
    ],
  )
  return rows.map(deliveryOf)
}

/** One delivery of an endpoint; undefined when there is none of that name there. */
export async function findDelivery(
  tx: Tx,
  { accountId, webhookId }: { readonly accountId: AccountId; readonly webhookId: WebhookId },
  deliveryId: string,
): Promise<(Delivery & { readonly lane: string }) | undefined> {
  const rows = await tx.query<DeliveryRow>(
    'delivery_find',
    `select ${DELIVERY_COLUMNS} from webhook_deliveries where account_id = $1 and webhook_id = $2 and id = $3`,
    [accountId, webhookId, deliveryId],
  )
  return rows[0] && deliveryOf(rows[0])
}

/**
 * What ended of an endpoint's deliveries within a range of time, oldest first: so many, or fewer where their bodies come to so many bytes, but one at
 * least; and whether there is more. What was itself sent again is not in it: a range must end.
 */
export async function endedDeliveries(
  tx: Tx,
  { accountId, webhookId }: { readonly accountId: AccountId; readonly webhookId: WebhookId },
  range: {
    readonly fromMilliseconds: number
    readonly toMilliseconds: number
    readonly status: 'failed' | 'delivered' | 'all'
    readonly after: string | undefined
    readonly count: number
    readonly bytesMax: number
  },
): Promise<{
  readonly ended: readonly (Delivery & { readonly lane: string })[]
  readonly hasMore: boolean
}> {
  const rows = await tx.query<DeliveryRow & { readonly has_next: boolean }>(
    'delivery_ended',
    // The length of a body is known without the body: what is left for another page is not read.
    `select ${DELIVERY_COLUMNS}, has_next from (
       select *, row_number() over oldest as nth, sum(octet_length(body)) over oldest as bytes, lead(id) over oldest is not null as has_next
       from (select ${DELIVERY_COLUMNS}, position from webhook_deliveries
         where account_id = $1 and webhook_id = $2
           and created_at >= to_timestamp($3 / 1000.0) and created_at < to_timestamp($4 / 1000.0)
           and redelivery_of is null and status <> 'waiting' and ($5 = 'all' or status = $5)
           and ($6::text is null or position > (select position from webhook_deliveries
             where id = $6 and account_id = $1 and webhook_id = $2))
         order by position limit $7::integer + 1) as found
       window oldest as (order by position)) as summed
     where nth = 1 or nth <= $7 and bytes <= $8 order by position`,
    [
      accountId,
      webhookId,
      range.fromMilliseconds,
      range.toMilliseconds,
      range.status,
      range.after ?? null,
      range.count,
      range.bytesMax,
    ],
  )
  return { ended: rows.map(deliveryOf), hasMore: rows.at(-1)?.has_next === true }
}

/**
 * Removes deliveries that are older than the promise to keep them, whatever became of them, and those of deleted endpoints. A lane that
 * loses its front goes on with the next. Says how many were removed.
 */
export async function forgetDeliveries(
  tx: Tx,
  olderThanMilliseconds: number,
  count: number,
): Promise<number> {
  const old = await tx.query<{ position: string; webhook_id: WebhookId; lane: string }>(
    'delivery_old',
    `(select position, webhook_id, lane from webhook_deliveries
      where created_at < to_timestamp($1 / 1000.0) order by created_at limit $2)
     union
     (select d.position, d.webhook_id, d.lane from webhooks w join webhook_deliveries d on d.webhook_id = w.id
      where w.deleted_at is not null limit $2)`,
    [olderThanMilliseconds, count],
  )
  if (old.length === 0) return 0
  const lanes = old.map((row) => ({ webhookId: row.webhook_id, lane: row.lane }))
  await lockLanes(tx, lanes)
  const removed = await tx.query(
    'delivery_forget',
    `delete from webhook_deliveries where position = any($1::bigint[]) returning position`,
    [old.map(({ position }) => position)],
  )
  await tx.query(
    'delivery_next_fronts',
    `update webhook_deliveries set due_at = now() where due_at is null and position in (
       select min(d.position) from webhook_deliveries d
       where (d.webhook_id, d.lane) in (select * from unnest($1::text[], $2::text[])) and d.status = 'waiting'
       group by d.webhook_id, d.lane)`,
    [lanes.map(({ webhookId }) => webhookId), lanes.map(({ lane }) => lane)],
  )
  return removed.length
}
