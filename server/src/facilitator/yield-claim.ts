import type { Clock } from '../kernel/clock.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import type { Intake } from './intake.ts'
import type { ReceivedRecords } from './records.ts'
import { letGo, lockClaimOf } from './soft-claim-store.ts'

export interface YieldDeps {
  readonly records: Pick<ReceivedRecords, 'state' | 'expired'>
  readonly clock: Clock
}

/** Whether a claim was made for a build alone, and the time of that build is over. */
export function hasLapsed(
  { isSoft, builtUntilMilliseconds }: Pick<Claim, 'isSoft' | 'builtUntilMilliseconds'>,
  nowMilliseconds: number,
): boolean {
  return isSoft && (builtUntilMilliseconds ?? 0) <= nowMilliseconds
}

/**
 * Lets go of a locked claim that lapsed and of which the chain has shown nothing. Its record is over with it: what the authorization
 * does from now on belongs to whoever claims it next. False when it holds. Only for a proof that the chain would still take.
 */
export async function yieldClaim(
  tx: Tx,
  { records, clock }: YieldDeps,
  claim: Claim,
): Promise<boolean> {
  const now = clock.nowMilliseconds()
  const { accountId, paymentId } = claim
  if (!hasLapsed(claim, now)) return false
  const state = await records.state(tx, accountId, paymentId)
  if (state?.status !== 'pending' || state.underWay) return false
  // The record first: whoever saw its effect meanwhile was faster, and the claim holds.
  await records.expired(tx, [paymentId])
  const after = await records.state(tx, accountId, paymentId)
  if (after?.status !== 'expired') return false
  if (!(await letGo(tx, paymentId, now))) throw new Error('a lapsed claim was not let go')
  return true
}

/** The same before somebody else's settlement, on the chain's own word that nobody has used the authorization. True: look again. */
export async function yieldToOther(
  deps: YieldDeps & { readonly store: Store },
  claim: Claim,
  { exact, authorization }: Pick<Intake, 'exact' | 'authorization'>,
): Promise<boolean> {
  if (!hasLapsed(claim, deps.clock.nowMilliseconds())) return false
  const check = await exact.check(authorization)
  if (!check.ok) return false
  return deps.store.inTransaction('service', async (tx) => {
    const locked = await lockClaimOf(tx, claim.network, claim.proofKey)
    if (locked?.paymentId !== claim.paymentId) return true
    return yieldClaim(tx, deps, locked)
  })
}
