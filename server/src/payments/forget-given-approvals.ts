import { forgetApprovalsOf, paymentsOfOldApprovals } from '../facilitator/approval-store.ts'
import type { Tx } from '../store/postgres.ts'
import { decidedByOurs } from './status-store.ts'

const FORGOTTEN_PER_ROUND_MAX = 1_000

/**
 * Forgets approvals past their days for which something was given, and whose payment can change no more: one that is open may yet give it, so its
 * row holds the nonce however old it is. Where the payment gave it, the nonce itself keeps it from being given twice: until the payer has used
 * that, it has the money; from then on the approval is refused. Says whether more may wait.
 */
export async function forgetGivenApprovals(
  tx: Tx,
  nowMilliseconds: number,
  max = FORGOTTEN_PER_ROUND_MAX,
): Promise<boolean> {
  const given = await paymentsOfOldApprovals(tx, nowMilliseconds, max)
  if (given.length === 0) return false
  const { over } = await decidedByOurs(tx, given)
  await forgetApprovalsOf(tx, [...over])
  return given.length >= max && over.size > 0
}
