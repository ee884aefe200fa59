import type { AccountId, DeliveryId, EventId, WebhookId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Attempt, TakenDelivery } from './delivery.ts'
import { lockLanes } from './delivery-store.ts'
import type { PauseReason } from './webhook.ts'

interface TakenRow {
  readonly id: DeliveryId
  readonly account_id: AccountId
  readonly webhook_id: WebhookId
  readonly event_id: EventId
  readonly lane: string
  readonly url: string
  readonly sealed_secret: Uint8Array
  readonly sealed_previous: Uint8Array | null
  readonly body: string
  readonly attempts: number
  readonly log: readonly Attempt[]
  readonly age: string
  readonly in_trouble: boolean
}

/** What was taken, and after which endpoint to go on; null when all endpoints had their turn. */
export interface Taken {
  readonly deliveries: readonly TakenDelivery[]
  readonly next: string | null
}

/**
 * Takes deliveries that are due, and leases them. Instances take turns, so that the bounds hold over all of them: so many under way per
 * endpoint, one for an endpoint in trouble, and limits.webhookRequestsPerAccountMax per account. Endpoints are looked at round by round,
 * limits.webhookEndpointsPerLookMax at once from `after` on. Those with the fewest requests under way come first, then those whose last turn
 * is longest ago, and each gives its oldest first: no queue stands before another by its length or its age. Times are the database's.
 */
export async function takeDue(
  tx: Tx,
  lease: string,
  {
    free,
    freeForTroubled,
    after = '',
  }: { readonly free: number; readonly freeForTroubled: number; readonly after?: string },
): Promise<Taken> {
  await takeTurn(tx)
  const busy = await busyEndpoints(tx, after)
  const next = busy.length < limits.webhookEndpointsPerLookMax ? null : (busy.at(-1) ?? null)
  if (busy.length === 0) return { deliveries: [], next }
  const rows = await tx.query<TakenRow>(
    'queue_take',
    `with under_way as (
       select webhook_id, account_id, count(*) as count from webhook_deliveries
       where lease is not null and due_at > now() group by webhook_id, account_id
     ), of_accounts as (
       select account_id, sum(count) as count from under_way group by account_id
     ), open as (
       select w.id, w.account_id, w.in_trouble, w.taken_at, coalesce(u.count, 0) as busy,
         case when w.in_trouble then 1 else $2::integer end - coalesce(u.count, 0) as free
       from webhooks w left join under_way u on u.webhook_id = w.id
       where w.id = any($6::text[]) and w.enabled and w.paused_at is null and w.deleted_at is null
     ), due as (
       select one.id, open.account_id, open.in_trouble, open.taken_at,
         open.busy + row_number() over (partition by open.id order by one.due_at) as nth
       from open cross join lateral (
         select d.id, d.due_at from webhook_deliveries d
         where d.webhook_id = open.id and d.due_at <= now()
         order by d.due_at limit greatest(open.free, 0)) one
     ), counted as (
       select due.*, coalesce(a.count, 0)
         + row_number() over (partition by due.account_id order by due.nth, due.taken_at nulls first) as of_account
       from due left join of_accounts a on a.account_id = due.account_id
     ), placed as (
       select id, in_trouble,
         row_number() over (partition by in_trouble order by nth, taken_at nulls first, id) as place
       from counted where of_account <= $7::integer
     ), chosen as (
       select id from placed where not in_trouble or place <= $4::integer order by place limit $3::integer
     ), held as (
       select d.id from chosen join webhook_deliveries d on d.id = chosen.id
       where d.due_at <= now() for no key update of d skip locked
     )
     update webhook_deliveries d
     set lease = $1, due_at = now() + $5::integer * interval '1 second'
     from held, webhooks w
     where d.id = held.id and d.due_at <= now() and w.id = d.webhook_id
     returning d.id, d.account_id, d.webhook_id, d.event_id, d.lane, w.url, w.sealed_secret,
       case when w.previous_until > now() then w.sealed_previous_secret end as sealed_previous,
       d.body, d.attempts, d.log, w.in_trouble,
       extract(epoch from now() - greatest(coalesce(d.first_taken_at, now()), w.resumed_at)) * 1000 as age`,
    [
      lease,
      limits.webhookRequestsPerEndpointMax,
      free,
      freeForTroubled,
      limits.webhookLeaseSeconds,
      busy,
      limits.webhookRequestsPerAccountMax,
    ],
  )
  await noteTurns(tx, [...new Set(rows.map((row) => row.webhook_id))])
  return { deliveries: rows.map((row) => takenOf(row, lease)), next }
}

/** Who had a turn goes behind the others. Waits for nobody: who ends an attempt has the endpoint's row first, and the delivery's then. */
async function noteTurns(tx: Tx, webhookIds: readonly WebhookId[]): Promise<void> {
  if (webhookIds.length === 0) return
  await tx.query(
    'queue_note_turns',
    `update webhooks set taken_at = now() where id in (
       select id from webhooks where id = any($1::text[]) for no key update skip locked)`,
    [webhookIds],
  )
}

/** The next endpoints with something due now or later, found by skipping through the index. */
async function busyEndpoints(tx: Tx, after: string): Promise<readonly string[]> {
  const rows = await tx.query<{ webhook_id: string }>(
    'queue_busy',
    `with recursive busy (webhook_id) as (
       (select webhook_id from webhook_deliveries
        where due_at is not null and webhook_id > $1 order by webhook_id limit 1)
       union all
       select (select d.webhook_id from webhook_deliveries d
         where d.due_at is not null and d.webhook_id > busy.webhook_id order by d.webhook_id limit 1)
       from busy where busy.webhook_id is not null
     ) select webhook_id from busy where webhook_id is not null limit $2`,
    [after, limits.webhookEndpointsPerLookMax],
  )
  return rows.map((row) => row.webhook_id)
}

function takenOf(row: TakenRow, lease: string): TakenDelivery {
  return {
    id: row.id,
    accountId: row.account_id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    lane: row.lane,
    lease,
    url: row.url,
    sealedSecret: row.sealed_secret,
    sealedPrevious: row.sealed_previous,
    body: row.body,
    attempts: row.attempts,
    log: row.log,
    ageMilliseconds: Number(row.age),
    isInTrouble: row.in_trouble,
  }
}

/** Whoever changes several rows of the queue does it alone. */
export async function takeTurn(tx: Tx): Promise<void> {
  await tx.query(
    'queue_turn',
    `select pg_advisory_xact_lock(hashtextextended('florin-webhook-queue', 0))`,
  )
}

/** Keeps what is still under way leased. */
export async function keepLeases(tx: Tx, leases: readonly string[]): Promise<void> {
  await takeTurn(tx)
  await tx.query(
    'queue_keep',
    `update webhook_deliveries set due_at = now() + $2::integer * interval '1 second' where lease = any($1)`,
    [leases, limits.webhookLeaseSeconds],
  )
}

/** What comes after an attempt: an end, or another attempt after a wait. */
export type After =
  | { readonly kind: 'delivered' | 'failed' }
  | { readonly kind: 'later'; readonly waitMilliseconds: number; readonly counts: boolean }

/**
 * Writes down what came of an attempt; at an end the next of the lane becomes due. False when the lease was lost: somebody else goes
 * on, and nothing was written. Only here is an attempt counted: what was taken and not sent, or sent and not written down, was trouble
 * of ours, and the lease alone says when it is taken again.
 */
export async function finishAttempt(
  tx: Tx,
  delivery: TakenDelivery,
  after: After,
  log: readonly Attempt[],
): Promise<boolean> {
  await lockLanes(tx, [delivery])
  const isOver = after.kind !== 'later'
  const written = await tx.query(
    'queue_finish',
    `update webhook_deliveries set status = $3, log = $4, lease = null,
       attempts = attempts + case when $6::boolean then 1 else 0 end,
       first_taken_at = coalesce(first_taken_at, case when $6::boolean then now() end),
       due_at = now() + $5::float8 * interval '1 millisecond',
       ended_at = case when $5::float8 is null then now() end
     where id = $1 and lease = $2 returning id`,
    [
      delivery.id,
      delivery.lease,
      isOver ? after.kind : 'waiting',
      JSON.stringify(log),
      isOver ? null : after.waitMilliseconds,
      isOver || after.counts,
    ],
  )
  if (written.length === 0) return false
  if (isOver) {
    await tx.query(
      'queue_next_of_lane',
      `update webhook_deliveries set due_at = coalesce(due_at, now())
       where position = (select min(position) from webhook_deliveries
         where webhook_id = $1 and lane = $2 and status = 'waiting')`,
      [delivery.webhookId, delivery.lane],
    )
  }
  return true
}

/** The endpoint answered well: its failures are over. Of an address that it no longer has nothing is noted, here and below. */
export async function noteSuccess(
  tx: Tx,
  { webhookId, url }: Pick<TakenDelivery, 'webhookId' | 'url'>,
  { isSlow }: { readonly isSlow: boolean },
): Promise<void> {
  await tx.query(
    'webhook_succeeded',
    `update webhooks set failing_since = null, in_trouble = $2
     where id = $1 and url = $3 and (failing_since is not null or in_trouble <> $2)`,
    [webhookId, isSlow, url],
  )
}

/** The endpoint failed. Gives why it was paused, if it was by this: at once when it is gone, else after a day of nothing but failures. */
export async function noteFailure(
  tx: Tx,
  { webhookId, url }: Pick<TakenDelivery, 'webhookId' | 'url'>,
  { isGone }: { readonly isGone: boolean },
): Promise<
  { readonly reason: PauseReason; readonly failingSinceMilliseconds: number } | undefined
> {
  await tx.query(
    'webhook_failed',
    // Whoever is failing is in trouble: success alone ends both.
    `update webhooks set failing_since = now(), in_trouble = true where id = $1 and url = $2 and failing_since is null`,
    [webhookId, url],
  )
  const rows = await tx.query<{ pause_reason: PauseReason; failing_since: Date }>(
    'webhook_pause',
    `update webhooks set paused_at = now(), pause_reason = case when $2::boolean then 'gone' else 'failing' end
     where id = $1 and url = $4 and paused_at is null and deleted_at is null
       and ($2::boolean or failing_since < now() - $3::integer * interval '1 hour')
     returning pause_reason, failing_since`,
    [webhookId, isGone, limits.webhookPauseHours, url],
  )
  const [row] = rows
  return row && { reason: row.pause_reason, failingSinceMilliseconds: row.failing_since.getTime() }
}
