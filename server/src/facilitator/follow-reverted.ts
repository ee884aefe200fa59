import { NodeFailure } from '../chains/chain.ts'
import type { UsedBy } from '../chains/exact.ts'
import type { BeginDeps, Settleable } from './beginning.ts'
import type { Claim } from './claim.ts'
import { joinClaim } from './join.ts'
import type { JoinDeps, Joined, JoinOrder } from './join.ts'
import { findPaidElsewhere } from './paid-elsewhere.ts'
import type { ReceivedState } from './records.ts'
import { NODE_WAITS_MAX, waitForNode } from './wait-for-node.ts'

type Reverted = Extract<Joined, { kind: 'reverted' }>

/**
 * What to tell of an attempt that came to nothing. That somebody else was faster is no failure of the payment: whoever is told of one asks the
 * payer for another. So it is told only where nothing had used the authorization up by the very block of the attempt. Where only the
 * payer's own bytes can pay, nobody else can have been faster.
 */
export async function followReverted(
  deps: BeginDeps & JoinDeps,
  order: JoinOrder,
  claim: Pick<Claim, 'accountId' | 'paymentId' | 'termsDigest' | 'answeredAtMilliseconds'>,
  intake: Settleable,
  joined: Reverted,
): Promise<Joined> {
  if (intake.authorization.feePayer !== null) return joined
  const { accountId, paymentId, termsDigest: digest } = claim
  const beginning = { accountId, paymentId, digest, intake, isNew: false }
  try {
    for (let waits = 0; ; waits += 1) {
      const used = await usedByAttempt(intake, joined.state)
      if (used === 'unused') return joined
      // Many ask whether theirs was used in one question, and each by what. Where one node stays behind, another may show that.
      const isLast = waits === NODE_WAITS_MAX
      const found =
        used === 'used' || isLast ? await findPaidElsewhere(deps, beginning) : ('behind' as const)
      if (found === 'paid') {
        const again = await joinClaim(deps, order, claim)
        return again.kind === 'reverted' ? { ...again, kind: 'pending' } : again
      }
      // Used, and nobody shows by what, or shows it in a block that was not read that way: not known yet.
      const isOver = isLast || found === 'unknown'
      if (isOver || !(await waitForNode(deps, order))) return { ...joined, kind: 'pending' }
    }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return { ...joined, kind: 'pending' }
  }
}

/** Whether an authorization was not used up by the block of our attempt, for sure. */
export async function wasUnused(
  intake: Pick<Settleable, 'exact' | 'authorization'>,
  state: ReceivedState,
): Promise<boolean> {
  try {
    return (await usedByAttempt(intake, state)) === 'unused'
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return false
  }
}

/** Asked of a node that has that very block: one that does not have it yet, or another one in its place, calls it unused still. */
async function usedByAttempt(
  { exact, authorization }: Pick<Settleable, 'exact' | 'authorization'>,
  { attemptBlock }: ReceivedState,
): Promise<UsedBy> {
  if (exact.usedBy === undefined) return 'unused'
  // The block of the attempt was taken back.
  if (attemptBlock === null) return 'behind'
  return exact.usedBy({ ...authorization, wasJudged: true }, attemptBlock)
}
