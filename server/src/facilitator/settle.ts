import type { Reason } from '@florin/wire/x402/reasons.ts'
import { NodeFailure } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import { authorizationOf } from './authorization-of.ts'
import { beginSettlement } from './begin.ts'
import type { BeginDeps } from './beginning.ts'
import { isSameClaim, isShown, notShownReason, termsDigest } from './claim.ts'
import type { Claim } from './claim.ts'
import { isTurnTaken } from './claim-store.ts'
import type { AskedClaim } from './claim-store.ts'
import { duplicateMessage } from './duplicate-message.ts'
import { followReverted, wasUnused } from './follow-reverted.ts'
import { openApprovalSteps } from './sponsor-approval.ts'
import type { ApprovalDeps } from './sponsor-approval.ts'
import { takeIn } from './intake.ts'
import type { Intake, IntakeOutcome, Presented, Refused } from './intake.ts'
import { isIdentifierTaken } from './identifier-store.ts'
import { joinClaim } from './join.ts'
import type { ClaimedPayment, JoinDeps, Joined, JoinOrder } from './join.ts'
import { namedPayment } from './named-payment.ts'
import { isOwed } from './owed.ts'
import type { Heard, ReceivedRecords } from './records.ts'
import type { SettlerFunds } from './settler-funds.ts'
import type { VerifyDeps } from './verify.ts'
import { nodeWaitsMax, waitForNode } from './wait-for-node.ts'
import { yieldToOther } from './yield-claim.ts'

export interface SettleDeps extends VerifyDeps, BeginDeps, JoinDeps, ApprovalDeps {
  readonly records: ReceivedRecords
  /** Whoever claimed a proof, as of now; asked together with others. */
  readonly claimOf: (asked: AskedClaim) => Promise<Claim | undefined>
  readonly funds: SettlerFunds
  readonly random: Random
}

export interface SettleOrder extends JoinOrder {
  readonly presented: Presented
  /** The request that asks for it: an operator finds the transaction by it. */
  readonly requestId?: string
  /** What of the call's time is for an approval of the payer's; left out, that has the time of everything. */
  readonly approvalWait?: ApprovalWait
}

/** How long a payer's approval is waited for before anything is claimed, and the settlement once the approval is in a block. */
export interface ApprovalWait {
  readonly untilMilliseconds: number
  /** Of what is claimed nobody should hear too early that it is open: its buyer would pay, and get nothing. */
  readonly settlementMilliseconds: number
}

/** A payment with what the seller may be told of it. */
export type SettledPayment = ClaimedPayment & { readonly intake: Intake }

/** What became of a settlement, as far as the wait reached. */
export type Settled =
  (Joined & { readonly intake: Intake }) | (Refused & { readonly kind: 'refused' })

const BEGIN_TRIES_MAX = 4

/**
 * Settles a payment: reads it, claims its proof, stores what will move the money, and only then sends. The same call again joins the
 * wait. After the claim is stored nothing is ever sent twice, whatever is asked; a claim ends only by what the chain proves.
 */
export async function settlePayment(deps: SettleDeps, order: SettleOrder): Promise<Settled> {
  const taken = takeIn(order.presented, deps.chains, deps.settlersOf, undefined, 'settle')
  if (!taken.ok) return { ...taken, kind: 'refused' }
  const { intake } = taken
  const digest = digestOf(intake)
  const named = namedPayment(order.accountId, intake)
  if (named === undefined) return settleTaken(deps, order, intake, digest)
  // Spares a node's answer; what decides is the claim's own transaction.
  const isTaken = await deps.store.inTransaction('service', (tx) =>
    isIdentifierTaken(tx, deps.records, named),
  )
  if (isTaken) {
    const judged = judgedIntake(deps, order, intake)
    if (!judged.ok) return { ...judged, kind: 'refused' }
    return refusalOf({ reason: 'payment_identifier_conflict' }, intake)
  }
  return settleTaken(deps, order, intake, digest)
}

/** The same for a payment that was read. */
async function settleTaken(
  deps: SettleDeps,
  given: SettleOrder,
  read: Intake,
  digest: Uint8Array,
): Promise<Settled> {
  let intake = read
  let order = given
  const asked = {
    network: intake.chain.config.network,
    proofKey: intake.authorization.proofKey,
  }
  const approve = openApprovalSteps(deps, forApproval(order), intake)
  let mayTryAgain = true
  let waits = 0
  for (let tries = 0; tries < BEGIN_TRIES_MAX; tries += 1) {
    let claim = await deps.claimOf(asked)
    let own: Joined | undefined
    if (claim === undefined) {
      const paymentId = newId(deps.random, 'pay')
      const { accountId } = order
      const who = order.requestId === undefined ? {} : { requestId: order.requestId }
      const isAlone = intake.requirements.extra['sharedTransaction'] === false
      const named = namedPayment(accountId, intake)
      const beginning = {
        accountId,
        paymentId,
        digest,
        intake,
        isNew: true,
        isAlone,
        named,
        ...who,
      }
      const heard = deps.records.listen(paymentId)
      try {
        const begun = await beginSettlement(deps, beginning)
        if (begun.kind === 'refused') {
          if (begun.approval !== undefined) {
            // Nothing is claimed before it is in a block: a seller who hears no success until then has nothing that moves money later.
            const notYet = await approve(begun.approval)
            if (notYet === undefined) {
              // To wait is not to try, and no wait here is longer than the caller's.
              tries -= 1
              order = afterApproval(given, deps.clock.nowMilliseconds())
            } else if ((await deps.claimOf(asked)) === undefined) {
              return refusalOf(notYet, intake)
            }
            // Else another call saw the approval in a block and was faster: it is joined.
            continue
          }
          if (waits < nodeWaitsMax(begun) && (await waitForNode(deps, order))) {
            // To wait is not to try.
            waits += 1
            tries -= 1
            continue
          }
          // Another call may have been faster meanwhile: then the chain refuses what has happened, and the proof is not bad.
          if ((await deps.claimOf(asked)) === undefined) return refusalOf(begun, intake)
          continue
        }
        await begun.sent
        mayTryAgain = false
        if (begun.kind !== 'signed') continue
        // What was just claimed need not be read to wait for it.
        const made = { accountId, paymentId, termsDigest: digest, answeredAtMilliseconds: null }
        own = await join(deps, order, made, intake, heard)
      } finally {
        heard.end()
      }
      if (own.kind !== 'reverted' || !own.state.wasShared) return { ...own, intake }
      claim = await deps.claimOf(asked)
      if (claim === undefined) continue
    }
    // Of what is claimed nothing is run: who shows it has to be its payer.
    const judged = judgedIntake(deps, order, intake)
    if (!judged.ok) return { ...judged, kind: 'refused' }
    intake = judged.intake
    if (!isSameClaim(claim, order.accountId, digest)) {
      if (await yieldToOther(deps, claim, intake)) continue
      const message = await duplicateMessage(deps, claim, order.accountId)
      return { kind: 'duplicate', intake, own: null, ...(message === undefined ? {} : { message }) }
    }
    if (!isShown(claim, intake.authorization)) {
      return refusalOf({ reason: notShownReason(intake.authorization) }, intake)
    }
    const again = mayTryAgain ? await tryAgain(deps, claim, intake) : undefined
    if (again !== undefined) return again
    mayTryAgain = false
    const joined = own ?? (await join(deps, order, claim, intake))
    if (joined.kind !== 'reverted' || !joined.state.wasShared) return { ...joined, intake }
    const said = await settleAlone(deps, order, claim, intake, joined)
    if (said !== undefined) return said
    if (tries === BEGIN_TRIES_MAX - 1) return { ...joined, kind: 'pending', intake }
  }
  throw new Error('a claim was neither made nor found')
}

function forApproval({ approvalWait, ...order }: SettleOrder): SettleOrder {
  if (approvalWait === undefined) return order
  return { ...order, waitUntilMilliseconds: approvalWait.untilMilliseconds }
}

/** The settlement has its time from the moment on at which the approval was seen. */
function afterApproval(order: SettleOrder, nowMilliseconds: number): SettleOrder {
  const { approvalWait, waitUntilMilliseconds } = order
  if (approvalWait === undefined) return order
  const until = nowMilliseconds + approvalWait.settlementMilliseconds
  return { ...order, waitUntilMilliseconds: Math.max(waitUntilMilliseconds, until) }
}

/** The payment again, its signature looked at. */
function judgedIntake(
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
  joined: Extract<Joined, { kind: 'reverted' }>,
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

/** What a payment that reads well is claimed for. */
export function digestOf({
  requirements: { network },
  authorization,
  resource,
}: Intake): Uint8Array {
  const { asset, payTo, amount } = authorization
  return termsDigest({ network, asset: asset.asset, payTo, amount, resource })
}

/** Waits for the claim. */
async function join(
  deps: SettleDeps,
  order: SettleOrder,
  claim: Pick<Claim, 'accountId' | 'paymentId' | 'termsDigest' | 'answeredAtMilliseconds'>,
  intake: Intake,
  heard?: Heard,
): Promise<Joined> {
  const joined = await joinClaim(deps, order, claim, heard)
  // What came to nothing beside others is tried again alone, which says whether somebody was faster.
  if (joined.kind !== 'reverted' || joined.state.wasShared) return joined
  const followed = await followReverted(deps, order, claim, intake, joined)
  // Another facilitator that was asked and has not answered may yet settle it.
  return followed.kind === 'reverted' && (await mayBeElsewhere(deps, claim.paymentId))
    ? { ...followed, kind: 'pending' }
    : followed
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
    const isDecided = begun.isUsed !== true && !UNDECIDED.has(begun.reason) && !isOwed(claim, state)
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

function refusalOf(
  { reason, message, lacks }: Pick<Refused, 'reason' | 'message' | 'lacks'>,
  { authorization, requirements }: Intake,
): Settled {
  return {
    kind: 'refused',
    ok: false,
    reason,
    payer: authorization.payer,
    networkName: requirements.networkName,
    ...(message === undefined ? {} : { message }),
    ...(lacks === undefined ? {} : { lacks }),
  }
}
