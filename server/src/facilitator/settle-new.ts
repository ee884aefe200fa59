import { newId } from '../kernel/id.ts'
import { beginSettlement } from './begin.ts'
import type { Queued } from './claim-queue.ts'
import type { Intake } from './intake.ts'
import { namedPayment } from './named-payment.ts'
import { isRevertedBeside, joinSettlement } from './settle-claimed.ts'
import type { Reverted } from './settle-claimed.ts'
import { askedClaimOf, refusalOf } from './settling.ts'
import type { SettleDeps, SettleOrder, Settled } from './settling.ts'
import type { openApprovalSteps } from './sponsor-approval.ts'
import { nodeWaitsMax, waitForNode } from './wait-for-node.ts'

/** What one turn with a proof that nobody had claimed came to. */
export type NewTurn =
  | { readonly kind: 'answered'; readonly settled: Settled }
  /** The payer's approval is in a block now, or takes another look. */
  | { readonly kind: 'approved' }
  /** A node was given a moment. */
  | { readonly kind: 'waited' }
  /** Another call has claimed it meanwhile, and this one has stored nothing. */
  | { readonly kind: 'overtaken' }
  /** It is claimed, and what came of it is to be looked up. */
  | { readonly kind: 'claimed' }
  /** It was claimed and sent here, and came to nothing beside others. */
  | { readonly kind: 'reverted beside'; readonly joined: Reverted }

interface NewSettlement {
  readonly intake: Intake
  readonly digest: Uint8Array
  readonly approve: ReturnType<typeof openApprovalSteps>
  /** How often a node was waited for already. */
  readonly nodeWaits: number
}

/** One turn with a proof that nobody has claimed: claims it, stores what will move the money, sends, and waits for what comes of it. */
export async function settleNew(
  deps: SettleDeps,
  order: SettleOrder,
  settlement: NewSettlement,
): Promise<NewTurn> {
  const { accountId, requestId } = order
  const { intake, digest } = settlement
  const paymentId = newId(deps.random, 'pay')
  const heard = deps.records.listen(paymentId)
  try {
    const begun = await beginSettlement(deps, {
      accountId,
      paymentId,
      digest,
      intake,
      isNew: true,
      isAlone: intake.requirements.extra['sharedTransaction'] === false,
      named: namedPayment(accountId, intake),
      ...(requestId === undefined ? {} : { requestId }),
    })
    if (begun.kind === 'refused') return await afterRefusal(deps, order, settlement, begun)
    await begun.sent
    if (begun.kind !== 'signed') return { kind: 'claimed' }
    // What was just claimed need not be read to wait for it.
    const made = { accountId, paymentId, termsDigest: digest, answeredAtMilliseconds: null }
    const joined = await joinSettlement(deps, order, made, intake, heard)
    return isRevertedBeside(joined)
      ? { kind: 'reverted beside', joined }
      : { kind: 'answered', settled: { ...joined, intake } }
  } finally {
    heard.end()
  }
}

/** What does not settle as it is: the payer's approval or a node may be waited for, or somebody else was faster. */
async function afterRefusal(
  deps: SettleDeps,
  order: SettleOrder,
  { intake, approve, nodeWaits }: NewSettlement,
  begun: Extract<Queued, { kind: 'refused' }>,
): Promise<NewTurn> {
  const { approval } = begun
  // Nothing is claimed before it is in a block: a seller who hears no success until then has nothing that moves money later.
  const refused = approval === undefined ? begun : await approve(approval)
  if (refused === undefined) return { kind: 'approved' }
  const mayWait = approval === undefined && nodeWaits < nodeWaitsMax(begun)
  if (mayWait && (await waitForNode(deps, order))) return { kind: 'waited' }
  // Another call may have been faster meanwhile: then the chain refuses what has happened, and the proof is not bad.
  const claim = await deps.claimOf(askedClaimOf(intake))
  if (claim !== undefined) return { kind: 'overtaken' }
  return { kind: 'answered', settled: refusalOf(refused, intake) }
}
