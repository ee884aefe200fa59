import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import type { Broadcaster } from '../sender/broadcast.ts'
import { beginSettlement } from './begin.ts'
import type { BeginDeps, Begun } from './begin.ts'
import { isSameClaim, termsDigest } from './claim.ts'
import type { Claim } from './claim.ts'
import { findClaim, returnAnswer, takeAnswer } from './claim-store.ts'
import { takeIn } from './intake.ts'
import type { Intake, Presented, Refused } from './intake.ts'
import type { ReceivedState } from './records.ts'
import type { VerifyDeps } from './verify.ts'

export interface SettleDeps extends VerifyDeps, BeginDeps {
  readonly broadcaster: Broadcaster
  readonly random: Random
}

export interface SettleOrder {
  readonly accountId: AccountId
  readonly presented: Presented
  readonly requestId?: string
  readonly waitUntilMilliseconds: number
  /** The wait ends early: nobody listens any more, or the service stops. */
  readonly over: AbortSignal
}

/** A payment with what the seller may be told of it. */
export interface SettledPayment {
  readonly intake: Intake
  readonly paymentId: PaymentId
  readonly state: ReceivedState
}

/** What became of a settlement, as far as the wait reached. */
export type Settled =
  /** The one success of this proof. `takeBack` when it reached nobody: the same call may then have it. */
  | (SettledPayment & { readonly kind: 'settled'; takeBack(): Promise<void> })
  | (SettledPayment & { readonly kind: 'pending' })
  /** This attempt was included without effect. The authorization may still be good. */
  | (SettledPayment & { readonly kind: 'reverted' })
  /** It took no effect and never will. */
  | (SettledPayment & { readonly kind: 'expired' })
  /** The success was given out before, or the proof belongs to another account or to other terms: then nothing more is told. */
  | {
      readonly kind: 'duplicate'
      readonly intake: Intake
      readonly own: (Omit<SettledPayment, 'intake'> & { readonly firstAnsweredAt: number }) | null
    }
  | (Refused & { readonly kind: 'refused' })

const BEGIN_TRIES_MAX = 4

/**
 * Settles a payment: reads it, claims its proof, stores what will move the money, and only then sends. The same call again joins the
 * wait. After the claim is stored nothing is ever sent twice, whatever is asked; a claim ends only by what the chain proves.
 */
export async function settlePayment(deps: SettleDeps, order: SettleOrder): Promise<Settled> {
  const taken = takeIn(order.presented, deps.chains, deps.settlersOf)
  if (!taken.ok) return { ...taken, kind: 'refused' }
  const { intake } = taken
  const digest = termsDigest(intake)
  for (let tries = 0; tries < BEGIN_TRIES_MAX; tries += 1) {
    const claim = await claimOf(deps, intake)
    if (claim === undefined) {
      const paymentId = newId(deps.random, 'pay')
      const { accountId } = order
      const asked = order.requestId === undefined ? {} : { requestId: order.requestId }
      const beginning = { accountId, paymentId, digest, intake, isNew: true, ...asked }
      const begun = await beginSettlement(deps, beginning)
      if (begun.kind === 'refused') return refusalOf(begun, intake)
      await send(deps, begun)
      continue
    }
    if (!isSameClaim(claim, order.accountId, digest))
      return { kind: 'duplicate', intake, own: null }
    const again = tries === 0 ? await tryAgain(deps, claim, intake) : undefined
    if (again !== undefined) return again
    return follow(deps, order, claim, intake)
  }
  throw new Error('a claim was neither made nor found')
}

async function claimOf({ store }: SettleDeps, { chain, authorization }: Intake) {
  return store.inTransaction('service', (tx) =>
    findClaim(tx, chain.config.network, authorization.proofKey),
  )
}

/** The earlier attempt came to nothing on chain and nothing is under way: the authorization gets another one. */
async function tryAgain(
  deps: SettleDeps,
  { accountId, paymentId, termsDigest: digest, answeredAtMilliseconds }: Claim,
  intake: Intake,
): Promise<Settled | undefined> {
  if (answeredAtMilliseconds !== null) return undefined
  const state = await deps.store.inTransaction('service', (tx) =>
    deps.records.state(tx, accountId, paymentId),
  )
  if (state?.status !== 'pending' || state.underWay) return undefined
  // The bytes are the payer's own: once they have been in a block, no block takes them again.
  if (intake.authorization.feePayer !== null) return undefined
  const beginning = { accountId, paymentId, digest, intake, isNew: false }
  const begun = await beginSettlement(deps, beginning)
  if (begun.kind === 'refused') return refusalOf(begun, intake)
  await send(deps, begun)
  return undefined
}

async function send({ broadcaster }: SettleDeps, begun: Begun): Promise<void> {
  if (begun.kind === 'signed') await broadcaster.broadcast(begun.network, [begun.signed])
}

/** Waits for the chain and gives out what it says; success at most once. */
async function follow(
  deps: SettleDeps,
  { waitUntilMilliseconds, over }: SettleOrder,
  { accountId, paymentId, answeredAtMilliseconds }: Claim,
  intake: Intake,
): Promise<Settled> {
  const until = { atMilliseconds: waitUntilMilliseconds, over }
  const state = await deps.records.wait({ accountId, paymentId }, until)
  if (state === undefined) throw new Error('a claim has no record')
  const settled = { intake, paymentId, state }
  if (answeredAtMilliseconds !== null) return duplicate(settled, answeredAtMilliseconds)
  if (state.released) return give(deps, settled)
  switch (state.status) {
    case 'failed':
    case 'expired':
      return { kind: 'expired', ...settled }
    case 'pending':
    case 'confirmed':
    case 'settled':
      return { kind: state.reverted && !state.underWay ? 'reverted' : 'pending', ...settled }
    default:
      return state.status satisfies never
  }
}

/** Takes the one success before it is said: a crash in between leaves it taken, and the seller is told when. */
async function give(deps: SettleDeps, settled: SettledPayment): Promise<Settled> {
  const { paymentId } = settled
  const now = deps.clock.nowMilliseconds()
  const taken = await deps.store.inTransaction('service', (tx) => takeAnswer(tx, paymentId, now))
  if (!taken) return duplicate(settled, now)
  const takeBack = () =>
    deps.store.inTransaction('service', (tx) => returnAnswer(tx, paymentId, now))
  return { kind: 'settled', ...settled, takeBack }
}

function duplicate({ intake, ...own }: SettledPayment, firstAnsweredAt: number): Settled {
  return { kind: 'duplicate', intake, own: { ...own, firstAnsweredAt } }
}

function refusalOf(
  { reason, message }: { reason: Reason; message?: string },
  { authorization, requirements }: Intake,
): Settled {
  return {
    kind: 'refused',
    ok: false,
    reason,
    payer: authorization.payer,
    networkName: requirements.networkName,
    ...(message === undefined ? {} : { message }),
  }
}

/** The hash that a caller may be shown: the one on chain, or the newest sent. */
export function shownHash({ state }: SettledPayment): TransactionHash | null {
  return state.hash
}
