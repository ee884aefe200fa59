import type { WalletId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { parseStoredRules } from './rules.ts'
import type { PolicyRules } from './rules.ts'

/** The policies of wallets, whoever they belong to: for operators of the installation. */
export async function policiesOf(
  tx: Tx,
  walletIds: readonly WalletId[],
): Promise<ReadonlyMap<WalletId, PolicyRules>> {
  const rows = await tx.query<{ wallet_id: WalletId; rules: unknown }>(
    'policies_of_any',
    'select wallet_id, rules from wallet_policies where wallet_id = any($1)',
    [walletIds],
  )
  return new Map(rows.map((row) => [row.wallet_id, parseStoredRules(row.rules)]))
}
