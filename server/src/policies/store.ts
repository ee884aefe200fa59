import type { AccountId, WalletId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { parseStoredRules, storedRules } from './rules.ts'
import type { PolicyRules } from './rules.ts'

interface Whose {
  readonly accountId: AccountId
  readonly walletId: WalletId
}

/** The wallet's policy, undefined when it has none. */
export async function readPolicy(
  tx: Tx,
  { accountId, walletId }: Whose,
): Promise<PolicyRules | undefined> {
  const rows = await tx.query<{ rules: unknown }>(
    'policies_read',
    `select rules from wallet_policies where wallet_id = $1 and account_id = $2`,
    [walletId, accountId],
  )
  return rows[0] && parseStoredRules(rows[0].rules)
}

/**
 * The wallet's policy, locked until the transaction ends. One lane already orders payments of one network, but a
 * wallet has a lane per network, and what is signed without a lane has none. `hasSums`: some of what it spent is summed up.
 */
export async function lockPolicy(
  tx: Tx,
  { accountId, walletId }: Whose,
): Promise<{ readonly rules: PolicyRules; readonly hasSums: boolean } | undefined> {
  const [row] = await tx.query<{ rules: unknown; has_sums: boolean }>(
    'policies_lock',
    `select rules, exists (select from policy_spend_sums where wallet_id = $1 and account_id = $2) as has_sums
     from wallet_policies where wallet_id = $1 and account_id = $2 for update`,
    [walletId, accountId],
  )
  return row && { rules: parseStoredRules(row.rules), hasSums: row.has_sums }
}

/** Replaces the wallet's policy; null removes it. */
export async function writePolicy(
  tx: Tx,
  { accountId, walletId }: Whose,
  rules: PolicyRules | null,
  nowMilliseconds: number,
): Promise<void> {
  if (rules === null) {
    await tx.query(
      'policies_remove',
      `delete from wallet_policies where wallet_id = $1 and account_id = $2`,
      [walletId, accountId],
    )
    return
  }
  await tx.query(
    'policies_write',
    `insert into wallet_policies (wallet_id, account_id, rules, updated_at) values ($1, $2, $3, $4)
     on conflict (wallet_id) do update set rules = excluded.rules, updated_at = excluded.updated_at
       where wallet_policies.account_id = excluded.account_id`,
    [walletId, accountId, storedRules(rules), new Date(nowMilliseconds)],
  )
}
