import { PLANS } from '../kernel/caller.ts'
import type { Plan } from '../kernel/caller.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** What a plan allows; null: as much as one likes. */
export interface PlanFacts {
  readonly plan: Plan
  readonly requestsPerMinute: number | null
  readonly eventSockets: number | null
  readonly socketMessagesPerSecond: number | null
}

interface PlanRow {
  readonly name: string
  readonly requests_per_minute: number | null
  readonly event_sockets: number | null
  readonly socket_messages_per_second: number | null
}

function factsOf(row: PlanRow): PlanFacts {
  const plan = PLANS.find((name) => name === row.name)
  if (plan === undefined) throw new Error(`there is a plan ${row.name} that nobody knows`)
  return {
    plan,
    requestsPerMinute: row.requests_per_minute,
    eventSockets: row.event_sockets,
    socketMessagesPerSecond: row.socket_messages_per_second,
  }
}

/** All plans, the smallest first. */
export async function listPlans(tx: Tx): Promise<readonly PlanFacts[]> {
  const rows = await tx.query<PlanRow>(
    'access_list_plans',
    `select name, requests_per_minute, event_sockets, socket_messages_per_second from plans`,
  )
  return rows.map(factsOf).sort((one, other) => PLANS.indexOf(one.plan) - PLANS.indexOf(other.plan))
}

/** The account's plan, and its own limit where the plan leaves that to accounts. Undefined: no such account. */
export async function planOfAccount(
  tx: Tx,
  accountId: AccountId,
): Promise<{ readonly plan: Plan; readonly ownRequestsPerMinute: number | null } | undefined> {
  const rows = await tx.query<{ plan: Plan; own: number | null }>(
    'access_plan_of_account',
    `select plan, enterprise_requests_per_minute as own from accounts where id = $1`,
    [accountId],
  )
  return rows[0] && { plan: rows[0].plan, ownRequestsPerMinute: rows[0].own }
}
