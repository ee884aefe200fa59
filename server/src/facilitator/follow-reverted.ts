import { NodeFailure } from '../chains/chain.ts'
import { findPaidElsewhere } from './paid-elsewhere.ts'
import type { BeginDeps } from './beginning.ts'
import type { Claim } from './claim.ts'
import type { Intake } from './intake.ts'
import { joinClaim } from './join.ts'
import type { JoinDeps, Joined, JoinOrder } from './join.ts'
import type { ReceivedState } from './records.ts'

type Reverted = Extract<Joined, { kind: 'reverted' }>

/** How often the block is looked for that another node has shown, and how long a node is given for it. */
const LOOKS_MAX = 4
const BEHIND_MILLISECONDS = 700

/**
 * What to tell of an attempt that came to nothing. That somebody else was faster is no failure of the payment: whoever is told of one asks the
 * payer for another. So it is told only where nothing had used the authorization up at the end of the very block of the attempt.
 */
export async function followReverted(
  deps: BeginDeps & JoinDeps,
  order: JoinOrder,
  claim: Pick<Claim, 'accountId' | 'paymentId' | 'termsDigest' | 'answeredAtMilliseconds'>,
  intake: Intake,
  joined: Reverted,
): Promise<Joined> {
  const { accountId, paymentId, termsDigest: digest } = claim
  const beginning = { accountId, paymentId, digest, intake, isNew: false }
  try {
    const check = await intake.exact.check({ ...intake.authorization, wasJudged: true })
    const isUsed = !check.ok && check.isUsed === true
    if (!isUsed && !(await mayHaveBeenUsed(intake, joined.state))) return joined
    for (let looks = 1; looks <= LOOKS_MAX; looks += 1) {
      const found = await findPaidElsewhere(deps, beginning)
      if (found === 'paid') {
        const again = await joinClaim(deps, order, claim)
        return again.kind === 'reverted' ? { ...again, kind: 'pending' } : again
      }
      if (found === 'unknown' || !(await waitForNode(deps, order))) break
    }
    // Used, and nobody shows by what, or shows it in a block that was not read that way: not known yet.
    return { ...joined, kind: 'pending' }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return { ...joined, kind: 'pending' }
  }
}

/**
 * Whether an authorization was used up at the end of the block of our attempt, as far as is known: asked of that block, since a node that does
 * not have it yet still calls it unused.
 */
export async function mayHaveBeenUsed(
  { exact, authorization }: Pick<Intake, 'exact' | 'authorization'>,
  { attemptHeight }: ReceivedState,
): Promise<boolean> {
  if (exact.isUsedAt === undefined) return false
  // The block of the attempt was taken back.
  if (attemptHeight === null) return true
  try {
    return await exact.isUsedAt(authorization, attemptHeight)
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return true
  }
}

/** Gives a node a moment to have what another shows. False when nobody waits so long. */
export async function waitForNode(
  { clock }: Pick<BeginDeps, 'clock'>,
  { waitUntilMilliseconds, over }: JoinOrder,
): Promise<boolean> {
  if (clock.nowMilliseconds() + BEHIND_MILLISECONDS > waitUntilMilliseconds) return false
  await clock.sleep(BEHIND_MILLISECONDS, over)
  return !over.aborted
}
