import { isIdentifierTaken } from './identifier-store.ts'
import { takeIn } from './intake.ts'
import type { Intake } from './intake.ts'
import { namedPayment } from './named-payment.ts'
import { judgedIntake, settleClaimed } from './settle-claimed.ts'
import type { Reverted } from './settle-claimed.ts'
import { settleNew } from './settle-new.ts'
import { askedClaimOf, refusalOf } from './settling.ts'
import type { SettleDeps, SettleOrder, Settled } from './settling.ts'
import { openApprovalSteps } from './sponsor-approval.ts'
import { digestOf } from './terms-digest.ts'

const TRIES_MAX = 4

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

/** The same for a payment that was read: each turn either claims its proof or joins whoever has. */
async function settleTaken(
  deps: SettleDeps,
  given: SettleOrder,
  read: Intake,
  digest: Uint8Array,
): Promise<Settled> {
  const asked = askedClaimOf(read)
  const approve = openApprovalSteps(deps, forApproval(given), read)
  let intake = read
  let order = given
  let mayTryAgain = true
  let nodeWaits = 0
  let tries = 0
  while (tries < TRIES_MAX) {
    let claim = await deps.claimOf(asked)
    let own: Reverted | undefined
    if (claim === undefined) {
      const turn = await settleNew(deps, order, { intake, digest, approve, nodeWaits })
      if (turn.kind === 'answered') return turn.settled
      // To wait is not to try, and no wait here is longer than the caller's.
      if (turn.kind === 'approved') {
        order = afterApproval(given, deps.clock.nowMilliseconds())
        continue
      }
      if (turn.kind === 'waited') {
        nodeWaits += 1
        continue
      }
      if (turn.kind !== 'overtaken') mayTryAgain = false
      if (turn.kind === 'reverted beside') {
        own = turn.joined
        claim = await deps.claimOf(asked)
      }
    }
    tries += 1
    if (claim === undefined) continue
    const turn = await settleClaimed(deps, order, claim, { intake, digest, mayTryAgain, own })
    if (turn.kind === 'answered') return turn.settled
    intake = turn.intake
    if (turn.kind === 'yielded') continue
    mayTryAgain = false
    if (tries === TRIES_MAX) return { ...turn.joined, kind: 'pending', intake }
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
