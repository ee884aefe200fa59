import type { Reason } from '@florin/wire/x402/reasons.ts'
import { NodeFailure } from '../chains/chain.ts'
import { authorizationOf } from './authorization-of.ts'
import { beginSettlement } from './begin.ts'
import { isSameClaim, isShown, notShownReason } from './claim.ts'
import type { Claim } from './claim.ts'
import { isTurnTaken } from './claim-store.ts'
import { duplicateMessage } from './duplicate-message.ts'
import { followReverted, wasUnused } from './follow-reverted.ts'
import { takeIn } from './intake.ts'
import type { Intake, IntakeOutcome } from './intake.ts'
import { joinClaim } from './join.ts'
import type { Joined } from './join.ts'
import { namedPayment } from './named-payment.ts'
import { isOwed } from './owed.ts'
import type { Heard } from './records.ts'
import { refusalOf } from './settling.ts'
import type { SettleDeps, SettleOrder, Settled } from './settling.ts'
import { yieldToOther } from './yield-claim.ts'

/** What is settled came to nothing on chain. */
export type Reverted = Extract<Joined, { kind: 'reverted' }>

/** What one turn with a claimed proof came to. */
export type ClaimedTurn =
  | { readonly kind: 'answered'; readonly settled: Settled }
  /** The claim was another's, and is given up: whoever looks again finds none. */
  | { readonly kind: 'yielded'; readonly intake: Intake }
  /** It came to nothing beside others, and is under way once more, alone. */
  | { readonly kind: 'sent alone'; readonly intake: Intake; readonly joined: Reverted }

/**
 * One turn with a proof that somebody has claimed: whoever shows it as it was claimed joins the wait, and anybody else is told that it is a duplicate.
 * `own` is what the caller has waited for already; `mayTryAgain`, whether an attempt that came to nothing before this call gets another one.
 */
export async function settleClaimed(
  deps: SettleDeps,
  order: SettleOrder,
  claim: Claim,
  {
    intake: read,
    digest,
    mayTryAgain,
    own,
  }: {
    readonly intake: Intake
    readonly digest: Uint8Array
    readonly mayTryAgain: boolean
    readonly own: Reverted | undefined
  },
): Promise<ClaimedTurn> {
  const answered = (settled: Settled) => ({ kind: 'answered', settled }) as const
  // Of what is claimed nothing is run: who shows it has to be its payer.
  const judged = judgedIntake(deps, order, read)
  if (!judged.ok) return answered({ ...judged, kind: 'refused' })
  const { intake } = judged
  if (!isSameClaim(claim, order.accountId, digest)) {
    if (await yieldToOther(deps, claim, intake)) return { kind: 'yielded', intake }
    const message = await duplicateMessage(deps, claim, order.accountId)
    const duplicate = { kind: 'duplicate', intake, own: null } as const
    return answered(message === undefined ? duplicate : { ...duplicate, message })
  }
  if (!isShown(claim, intake.authorization)) {
    return answered(refusalOf({ reason: notShownReason(intake.authorization) }, intake))
  }
  const again = mayTryAgain ? await tryAgain(deps, claim, intake) : undefined
  if (again !== undefined) return answered(again)
  const joined = own ?? (await joinSettlement(deps, order, claim, intake))
  if (!isRevertedBeside(joined)) return answered({ ...joined, intake })
  const said = await settleAlone(deps, order, claim, intake, joined)
  return said === undefined ? { kind: 'sent alone', intake, joined } : answered(said)
}

/** Whether it came to nothing in a transaction that it shared with others. */
export function isRevertedBeside(joined: Joined): joined is Reverted {
  return joined.kind === 'reverted' && joined.state.wasShared
}

/** Waits for what was claimed, and what comes of it on chain. */
export async function joinSettlement(
  deps: SettleDeps,
  order: SettleOrder,
  claim: Pick<Claim, 'accountId' | 'paymentId' | 'termsDigest' | 'answeredAtMilliseconds'>,
  intake: Intake,
  heard?: Heard,
): Promise<Joined> {
  const joined = await joinClaim(deps, order, claim, heard)
  // What came to nothing beside others is tried again alone, which says whether somebody was faster.
  if (joined.kind !== 'reverted' || isRevertedBeside(joined)) return joined
  const followed = await followReverted(deps, order, claim, intake, joined)
  // Another facilitator that was asked and has not answered may yet settle it.
  return followed.kind === 'reverted' && (await mayBeElsewhere(deps, claim.paymentId))
    ? { ...followed, kind: 'pending' }
    : followed
}

/** The payment again, its signature looked at. */
export function judgedIntake(
  { chains, settlersOf }: SettleDeps,
  { presented }: SettleOrder,
  intake: Intake,
): IntakeOutcome {
  if (intake.authorization.isUnjudged !== true) return { ok: true, intake }
  return takeIn(presented, chains, settlersOf, undefined, 'settle claimed')
}

/** What says nothing of a payment whose bytes were sent once: they may yet come back with another block, also of an earlier time. */
const UNDECIDED: ReadonlySet<Reason> = new Set([
  'network_unavailable',
  'gas_budget_spent',
  'payment_too_small_for_its_gas',
  'payment_identifier_conflict',
  'invalid_exact_evm_payload_authorization_valid_before',
  'permit2_deadline_expired',
])

/** What came to nothing beside others is tried once more, in a transaction of its own. Undefined when that is under way. */
async function settleAlone(
  deps: SettleDeps,
  { over }: SettleOrder,
  claim: Claim,
  intake: Intake,
  joined: Reverted,
): Promise<Settled | undefined> {
  const pending = { ...joined, kind: 'pending', intake } as const
  if (joined.state.revertedWhole) deps.claims.keepApart(intake.chain.config.network)
  // Nobody waits: whoever watches claims does it.
  if (over.aborted) return pending
  try {
    return await tryAgain(deps, claim, intake)
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return pending
  }
}

/**
 * The earlier attempt came to nothing on chain and nothing is under way: the claimed authorization gets another one. Never the one that is
 * shown now, which may have another end: the claim is followed to its own.
 */
async function tryAgain(
  deps: SettleDeps,
  claim: Claim,
  intake: Intake,
): Promise<Settled | undefined> {
  const { accountId, paymentId, termsDigest: digest, answeredAtMilliseconds } = claim
  if (answeredAtMilliseconds !== null) return undefined
  const stateOf = () =>
    deps.store.inTransaction('service', (tx) => deps.records.state(tx, accountId, paymentId))
  const state = await stateOf()
  if (state?.status !== 'pending' || state.underWay) return undefined
  // The bytes are the payer's own: once they have been in a block, no block takes them again.
  if (intake.authorization.feePayer !== null) return undefined
  const authorization = authorizationOf(claim, intake.chain)
  if (authorization === undefined) throw new Error('a claim of an asset that is not known')
  const claimed = { ...intake, authorization }
  const named = namedPayment(accountId, intake)
  const beginning = { accountId, paymentId, digest, intake: claimed, isNew: false, named }
  const begun = await beginSettlement(deps, beginning)
  if (begun.kind === 'refused') {
    // It was in a block once, or another allowance was, and a reorganisation took that along: it goes out again, and the claim stands.
    if (begun.approval !== undefined) {
      await deps.chains.get(intake.requirements.network)?.broadcast([begun.approval.raw])
      return { kind: 'pending', paymentId, state, intake }
    }
    // While the chain was asked, another call may have sent it: what comes of that is the answer to both.
    const now = await stateOf()
    if (now?.status !== 'pending' || now.underWay) return undefined
    // Used by whatever: it may have paid, and a seller who hears a "no" asks the payer for another. What is sent again may pay as well.
    const isDecided =
      begun.isUsed !== true &&
      begun.isPastUntold !== true &&
      !UNDECIDED.has(begun.reason) &&
      !isOwed(claim, state)
    // Nor does anybody know what another facilitator that was asked and did not answer has under way.
    const isUndecided = !isDecided || (await mayBeElsewhere(deps, paymentId))
    return isUndecided || (state.reverted && !(state.isDeep && (await wasUnused(claimed, state))))
      ? { kind: 'pending', paymentId, state, intake }
      : refusalOf(begun, intake)
  }
  await begun.sent
  return undefined
}

/** Whether another facilitator was asked about a claim and has not answered. */
function mayBeElsewhere(
  { store }: Pick<SettleDeps, 'store'>,
  paymentId: Claim['paymentId'],
): Promise<boolean> {
  return store.inTransaction('service', (tx) => isTurnTaken(tx, paymentId))
}
