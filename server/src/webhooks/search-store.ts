import type { DeliveryStatus } from '@florin/wire/webhook.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { DELIVERY_COLUMNS, deliveryOf } from './delivery-store.ts'
import type { DeliveryRow } from './delivery-store.ts'
import type { Delivery, NewDelivery } from './delivery.ts'

/** What is looked for among the deliveries of an endpoint. */
export interface Search {
  readonly status: DeliveryStatus | undefined
  /** The payment that its events are of; left out, any. */
  readonly lane?: string | undefined
  /** Recorded then or later; left out, whenever. */
  readonly fromMilliseconds?: number | undefined
  readonly before?: string | undefined
  readonly uptoMilliseconds?: number
  readonly count: number
  /** Left out, limits.listLookedAtMax. */
  readonly lookedMax?: number
}

export interface Found {
  readonly deliveries: readonly Delivery[]
  /** Where the look ended although there may be more; undefined at the end of the list. */
  readonly lookedBackTo?: Pick<Delivery, 'id' | 'createdAtMilliseconds'>
}

/** Deliveries stand in the order in which they were recorded, but for those of transactions beside each other: by no more than these differ. */
const BESIDE_MILLISECONDS = 60_000

/**
 * A page of those that fit, newest first. No index knows their payments or what became of them, since every delivery would pay for it: they are looked for among
 * so many, and the next page goes on behind these (decision 0044).
 */
export async function searchDeliveries(
  tx: Tx,
  { accountId, webhookId }: Pick<NewDelivery, 'accountId' | 'webhookId'>,
  search: Search,
): Promise<Found> {
  const { lookedMax = limits.listLookedAtMax, fromMilliseconds } = search
  const rows = await tx.query<
    Partial<DeliveryRow> & {
      readonly looked: string
      readonly edge_id: Delivery['id'] | null
      readonly edge_at: Date | null
    }
  >(
    'delivery_search',
    `with looked as materialized (
       select position, id, lane, status, created_at from webhook_deliveries
       where account_id = $1 and webhook_id = $2
         and ($4::text is null or position < (select position from webhook_deliveries
           where id = $4 and account_id = $1 and webhook_id = $2))
         and ($6::double precision is null or created_at < to_timestamp(($6 + 1) / 1000.0))
       order by position desc limit $9
     ), fitting as (
       select position from looked where ($3::text is null or status = $3) and ($7::text is null or lane = $7)
         and ($8::double precision is null or created_at >= to_timestamp($8 / 1000.0))
       order by position desc limit $5
     ), edge as (
       select count(*) as looked, (array_agg(id order by position))[1] as edge_id,
         (array_agg(created_at order by position))[1] as edge_at from looked
     )
     select edge.*, found.* from edge left join (
       select position, ${DELIVERY_COLUMNS} from webhook_deliveries where position in (select position from fitting)) as found on true
     order by found.position desc`,
    [
      accountId,
      webhookId,
      search.status ?? null,
      search.before ?? null,
      search.count,
      search.uptoMilliseconds ?? null,
      search.lane ?? null,
      fromMilliseconds ?? null,
      lookedMax,
    ],
  )
  const deliveries = rows.flatMap((row) => (isWhole(row) ? [deliveryOf(row)] : []))
  const { looked = '0', edge_id: id = null, edge_at: at = null } = rows[0] ?? {}
  if (id === null || at === null || Number(looked) < lookedMax) return { deliveries }
  const createdAtMilliseconds = at.getTime()
  const isPast = createdAtMilliseconds < (fromMilliseconds ?? 0) - BESIDE_MILLISECONDS
  return isPast ? { deliveries } : { deliveries, lookedBackTo: { id, createdAtMilliseconds } }
}

/** Where nothing fits, one row tells of the edge alone. */
function isWhole<Row extends Partial<DeliveryRow>>(row: Row): row is Row & DeliveryRow {
  return row.id !== undefined && row.id !== null
}
