import { PLANS } from '../kernel/caller.ts'
import type { Plan } from '../kernel/caller.ts'
import type { AccountId } from '../kernel/id.ts'
import { planForValues } from '../store/plan-for-values.ts'
import type { Tx } from '../store/postgres.ts'

// What operators of the installation see of every account. Never for an account's own requests.

/** An account with what is counted of its keys. */
export interface AnyAccount {
  readonly accountId: AccountId
  readonly name: string
  readonly plan: Plan
  readonly ownRequestsPerMinute: number | null
  readonly suspendedAtMilliseconds: number | null
  readonly createdAtMilliseconds: number
  readonly keys: number
  readonly lastUsedAtMilliseconds: number | null
}

interface Row {
  readonly id: AccountId
  readonly name: string
  readonly plan: string
  readonly own: number | null
  readonly suspended_at: Date | null
  readonly created_at: Date
  readonly keys: string
  readonly last_used_at: Date | null
}

const ACCOUNT = `
  select a.id, a.name, a.plan, a.enterprise_requests_per_minute as own, a.suspended_at, a.created_at,
    (select count(*) from api_keys k where k.account_id = a.id and k.deleted_at is null) as keys,
    (select max(k.last_used_at) from api_keys k where k.account_id = a.id) as last_used_at
  from accounts a`

function accountOf(row: Row): AnyAccount {
  const plan = PLANS.find((name) => name === row.plan)
  if (plan === undefined) throw new Error(`account ${row.id} has a plan that nobody knows`)
  return {
    accountId: row.id,
    name: row.name,
    plan,
    ownRequestsPerMinute: row.own,
    suspendedAtMilliseconds: row.suspended_at?.getTime() ?? null,
    createdAtMilliseconds: row.created_at.getTime(),
    keys: Number(row.keys),
    lastUsedAtMilliseconds: row.last_used_at?.getTime() ?? null,
  }
}

/** A part of a list. */
export interface Page {
  /** Behind this one; undefined: from the beginning. An unknown one gives none. */
  readonly after: string | undefined
  readonly count: number
}

/** Accounts, newest first; with `search`, those that have it in their name or are called by that id. */
export async function pageOfAccounts(
  tx: Tx,
  search: string | undefined,
  { after, count }: Page,
): Promise<readonly AnyAccount[]> {
  await planForValues(tx)
  const rows = await tx.query<Row>(
    'access_any_accounts',
    `${ACCOUNT}
     where ($1::text is null or a.id = $1 or position(lower($1) in lower(a.name)) > 0)
       and ($2::text is null or (a.created_at, a.id) < (select created_at, id from accounts where id = $2))
     order by a.created_at desc, a.id desc limit $3`,
    [search ?? null, after ?? null, count],
  )
  return rows.map(accountOf)
}

export async function anyAccount(tx: Tx, accountId: string): Promise<AnyAccount | undefined> {
  const rows = await tx.query<Row>('access_any_account', `${ACCOUNT} where a.id = $1`, [accountId])
  return rows[0] && accountOf(rows[0])
}

/** What an operator changes of an account; what is left out stays. */
export interface AccountChange {
  readonly name?: string | undefined
  readonly plan?: Plan | undefined
  readonly requestsPerMinute?: number | null | undefined
  readonly suspended?: boolean | undefined
}

/** Changes an account, and with its plan that of all its keys. */
export async function changeAccount(
  tx: Tx,
  accountId: AccountId,
  { name, plan, requestsPerMinute, suspended }: AccountChange,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'access_change_account',
    `update accounts set name = coalesce($2, name), plan = coalesce($3, plan),
       enterprise_requests_per_minute = case when $4 then $5 else enterprise_requests_per_minute end,
       suspended_at = case when $6::boolean is null then suspended_at
         when $6 then coalesce(suspended_at, to_timestamp($7 / 1000.0)) end
     where id = $1`,
    [
      accountId,
      name ?? null,
      plan ?? null,
      requestsPerMinute !== undefined,
      requestsPerMinute ?? null,
      suspended ?? null,
      nowMilliseconds,
    ],
  )
  if (plan === undefined) return
  await tx.query(
    'access_change_keys_plan',
    'update api_keys set plan = $2 where account_id = $1 and deleted_at is null and plan <> $2',
    [accountId, plan],
  )
}

/** Where a plan differs from the endpoint table. */
export interface PlanException {
  readonly operation: string
  readonly included: boolean
}

/** Of every plan: its exceptions, and how many accounts have it. */
export async function planUses(
  tx: Tx,
): Promise<
  ReadonlyMap<string, { readonly exceptions: PlanException[]; readonly accounts: number }>
> {
  const rows = await tx.query<{ name: string; accounts: string; exceptions: PlanException[] }>(
    'access_plan_uses',
    `select p.name, (select count(*) from accounts a where a.plan = p.name) as accounts,
       (select coalesce(json_agg(json_build_object('operation', o.operation, 'included', o.included) order by o.operation), '[]')
        from plan_operations o where o.plan = p.name) as exceptions
     from plans p`,
  )
  return new Map(
    rows.map(({ name, accounts, exceptions }) => [
      name,
      { exceptions, accounts: Number(accounts) },
    ]),
  )
}

/** What an operator changes of a plan; what is left out stays. */
export interface PlanChange {
  readonly requestsPerMinute?: number | null | undefined
  readonly eventSockets?: number | null | undefined
  readonly socketMessagesPerSecond?: number | null | undefined
  readonly exceptions?: readonly PlanException[] | undefined
  /** One of them alone; null: it is none any more. */
  readonly exception?: { readonly operation: string; readonly included: boolean | null } | undefined
}

export async function changePlan(tx: Tx, plan: Plan, change: PlanChange): Promise<void> {
  const { requestsPerMinute, eventSockets, socketMessagesPerSecond, exceptions, exception } = change
  await tx.query(
    'access_change_plan',
    `update plans set
       requests_per_minute = case when $2 then $3 else requests_per_minute end,
       event_sockets = case when $4 then $5 else event_sockets end,
       socket_messages_per_second = case when $6 then $7 else socket_messages_per_second end
     where name = $1`,
    [
      plan,
      ...[requestsPerMinute, eventSockets, socketMessagesPerSecond].flatMap((value) => [
        value !== undefined,
        value ?? null,
      ]),
    ],
  )
  if (exceptions !== undefined) await replaceExceptions(tx, plan, exceptions)
  if (exception !== undefined) await setException(tx, plan, exception)
}

async function replaceExceptions(
  tx: Tx,
  plan: Plan,
  exceptions: readonly PlanException[],
): Promise<void> {
  await tx.query('access_clear_exceptions', 'delete from plan_operations where plan = $1', [plan])
  await tx.query(
    'access_set_exceptions',
    `insert into plan_operations (plan, operation, included)
     select $1, operation, included from unnest($2::text[], $3::boolean[]) as given (operation, included)`,
    [
      plan,
      exceptions.map(({ operation }) => operation),
      exceptions.map(({ included }) => included),
    ],
  )
}

async function setException(
  tx: Tx,
  plan: Plan,
  { operation, included }: NonNullable<PlanChange['exception']>,
): Promise<void> {
  if (included === null) {
    await tx.query(
      'access_forget_exception',
      'delete from plan_operations where plan = $1 and operation = $2',
      [plan, operation],
    )
    return
  }
  await tx.query(
    'access_set_exception',
    `insert into plan_operations (plan, operation, included) values ($1, $2, $3)
     on conflict (plan, operation) do update set included = excluded.included`,
    [plan, operation, included],
  )
}
