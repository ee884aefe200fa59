import { PLANS } from '../kernel/caller.ts'
import type { Plan } from '../kernel/caller.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'

/** An account as its members see it. */
export interface AccountFacts {
  readonly accountId: AccountId
  readonly name: string
  readonly plan: Plan
}

interface Row {
  readonly id: AccountId
  readonly name: string
  readonly plan: string
}

function toFacts({ id, name, plan: text }: Row): AccountFacts {
  const plan = PLANS.find((each) => each === text)
  if (plan === undefined) throw new Error(`account ${id} has a plan that nobody knows`)
  return { accountId: id, name, plan }
}

/** These accounts, oldest first. */
export async function findAccounts(
  tx: Tx,
  accountIds: readonly AccountId[],
): Promise<readonly AccountFacts[]> {
  const rows = await tx.query<Row>(
    'access_find_accounts',
    'select id, name, plan from accounts where id = any($1) order by created_at, id',
    [accountIds],
  )
  return rows.map(toFacts)
}

/** The plan of an account that is not suspended, with the operations by which that plan differs from the endpoint table. */
export async function accountPlan(
  store: Pick<Store, 'query'>,
  accountId: AccountId,
): Promise<{ readonly plan: Plan; readonly exceptions: ReadonlyMap<string, boolean> } | undefined> {
  const [row] = await store.query<Row & { readonly more: string[]; readonly fewer: string[] }>(
    'access_account_plan',
    `select a.id, a.name, a.plan,
            array(select o.operation from plan_operations o where o.plan = a.plan and o.included) as more,
            array(select o.operation from plan_operations o where o.plan = a.plan and not o.included) as fewer
     from accounts a where a.id = $1 and a.suspended_at is null`,
    [accountId],
  )
  return (
    row && {
      plan: toFacts(row).plan,
      exceptions: new Map([
        ...row.more.map((operation) => [operation, true] as const),
        ...row.fewer.map((operation) => [operation, false] as const),
      ]),
    }
  )
}

/** Those of the accounts that are not suspended, each with its plan. */
export async function openAccounts(
  store: Pick<Store, 'query'>,
  accountIds: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, Plan>> {
  if (accountIds.length === 0) return new Map()
  const rows = await store.query<Row>(
    'access_open_accounts',
    'select id, name, plan from accounts where id = any($1) and suspended_at is null',
    [[...new Set(accountIds)]],
  )
  return new Map(rows.map((row) => [row.id, toFacts(row).plan]))
}

/** The accounts that are suspended. */
export async function suspendedAccounts(
  store: Pick<Store, 'query'>,
): Promise<readonly AccountId[]> {
  const rows = await store.query<{ id: AccountId }>(
    'access_suspended_accounts',
    'select id from accounts where suspended_at is not null',
  )
  return rows.map(({ id }) => id)
}

/** Sets the plan of an account. False: there is none. */
export async function setAccountPlan(tx: Tx, accountId: AccountId, plan: Plan): Promise<boolean> {
  const rows = await tx.query(
    'access_set_account_plan',
    'update accounts set plan = $2 where id = $1 returning id',
    [accountId, plan],
  )
  return rows.length === 1
}
