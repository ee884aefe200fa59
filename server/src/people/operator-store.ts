import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** How many people each of these accounts has, those who were invited too; one that has none is missing. For operators. */
export async function memberCounts(
  tx: Tx,
  accountIds: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, number>> {
  const rows = await tx.query<{ account_id: AccountId; count: string }>(
    'people_member_counts',
    'select account_id, count(*) as count from memberships where account_id = any($1) group by account_id',
    [accountIds],
  )
  return new Map(rows.map(({ account_id: accountId, count }) => [accountId, Number(count)]))
}
