import type { AccountId, WalletId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { parseStoredRules } from './rules.ts'
import type { PolicyRules } from './rules.ts'

/** The policies of these wallets of an account, the one that was changed last first. */
export async function policiesOfWallets(
  tx: Tx,
  accountId: AccountId,
  walletIds: readonly WalletId[],
  count: number,
): Promise<readonly { readonly walletId: WalletId; readonly rules: PolicyRules }[]> {
  if (walletIds.length === 0) return []
  const rows = await tx.query<{ wallet_id: WalletId; rules: unknown }>(
    'policies_of_wallets',
    `select wallet_id, rules from wallet_policies
     where wallet_id = any($2) and account_id = $1 order by updated_at desc, wallet_id limit $3`,
    [accountId, walletIds, count],
  )
  return rows.map((row) => ({ walletId: row.wallet_id, rules: parseStoredRules(row.rules) }))
}
