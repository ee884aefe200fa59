import { PLANS } from '../kernel/caller.ts'
import type { Plan } from '../kernel/caller.ts'
import type { KeyId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'

/** What the plan's row says of sockets. */
export async function socketPlan(
  store: Store,
  plan: Plan,
): Promise<{ readonly sockets: number | null; readonly messagesPerSecond: number | null }> {
  const rows = await store.query<{ sockets: number | null; messages: number | null }>(
    'access_socket_plan',
    'select event_sockets as sockets, socket_messages_per_second as messages from plans where name = $1',
    [plan],
  )
  return { sockets: rows[0]?.sockets ?? null, messagesPerSecond: rows[0]?.messages ?? null }
}

/** Of these keys those that are neither deleted nor expired, of accounts that are not suspended; each with its plan. */
export async function liveKeys(
  store: Store,
  keyIds: readonly KeyId[],
): Promise<ReadonlyMap<KeyId, Plan>> {
  const rows = await store.query<{ id: KeyId; plan: string }>(
    'access_live_keys',
    `select k.id, k.plan from api_keys k join accounts a on a.id = k.account_id
     where k.id = any($1) and k.deleted_at is null and (k.expires_at is null or k.expires_at > now())
       and a.suspended_at is null`,
    [keyIds],
  )
  return new Map(
    rows.map(({ id, plan: text }) => {
      const plan = PLANS.find((name) => name === text)
      if (plan === undefined) throw new Error(`key ${id} has a plan that nobody knows`)
      return [id, plan]
    }),
  )
}
