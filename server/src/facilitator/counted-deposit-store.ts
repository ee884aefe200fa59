import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { CallName } from './escrow-call-store.ts'

/** Takes the one time that a deposit of the account counts in the catalogue. False when it has counted. */
export async function countDepositInCatalogue(
  tx: Tx,
  accountId: AccountId,
  { network, key }: CallName,
): Promise<boolean> {
  const rows = await tx.query(
    'escrow_call_catalogue',
    `update escrow_calls set catalogued = true
     where network = $1 and call_key = $2 and account_id = $3 and operation = 'deposit' and not catalogued returning call_key`,
    [network, key, accountId],
  )
  return rows.length === 1
}
