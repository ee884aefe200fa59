import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** How the sending of webhooks stands, over all instances. */
export interface WebhookFigures {
  /** Deliveries that have not ended; limits.webhookCountedMax of them at most. */
  readonly waiting: number
  /**
   * When the oldest that could be sent now became due; null when nothing is late. Of endpoints in trouble nothing counts: they get one request at a
   * time, and one that hangs lets its own deliveries wait however quick the senders are.
   */
  readonly oldestDueAtMilliseconds: number | null
  /** Endpoints that something is sent to, and those that failed until they were paused. */
  readonly active: number
  readonly paused: number
}

/** Counts up to a bound, so that a long queue does not make the reading long. */
export async function webhookFigures(tx: Tx): Promise<WebhookFigures> {
  const rows = await tx.query<{
    waiting: string
    oldest: Date | null
    active: string
    paused: string
  }>(
    'figures_webhooks',
    `select
       (select count(*) from (select from webhook_deliveries where status = 'waiting' limit $1) as counted) as waiting,
       min(first.due_at) filter (where w.paused_at is null and not w.in_trouble) as oldest,
       count(*) filter (where w.paused_at is null) as active,
       count(*) filter (where w.paused_at is not null) as paused
     from webhooks w left join lateral (
       select d.due_at from webhook_deliveries d
       where d.webhook_id = w.id and d.due_at <= now() order by d.due_at limit 1) first on true
     where w.enabled and w.deleted_at is null`,
    [limits.webhookCountedMax],
  )
  const [row] = rows
  return {
    waiting: Number(row?.waiting ?? 0),
    oldestDueAtMilliseconds: row?.oldest?.getTime() ?? null,
    active: Number(row?.active ?? 0),
    paused: Number(row?.paused ?? 0),
  }
}
