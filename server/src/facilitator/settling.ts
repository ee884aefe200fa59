import type { BeginDeps } from './beginning.ts'
import type { Claim } from './claim.ts'
import type { AskedClaim } from './claim-store.ts'
import type { Intake, Presented, Refused } from './intake.ts'
import type { ClaimedPayment, JoinDeps, Joined, JoinOrder } from './join.ts'
import type { Random } from '../kernel/random.ts'
import type { ReceivedRecords } from './records.ts'
import type { SettlerFunds } from './settler-funds.ts'
import type { ApprovalDeps } from './sponsor-approval.ts'
import type { VerifyDeps } from './verify.ts'

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

/** By what a payment's claim is asked for. */
export function askedClaimOf({ chain, authorization }: Intake): AskedClaim {
  return { network: chain.config.network, proofKey: authorization.proofKey }
}

/** The answer to a payment that does not settle, and of which nothing was stored. */
export function refusalOf(
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
