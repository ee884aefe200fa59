import { receiverAccount } from '../custody/receiver-store.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import { followedHeight } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import { claimFor, recordFor } from './claim-alone.ts'
import { isSameClaim } from './claim.ts'
import type { Claim } from './claim.ts'
import { insertClaim } from './claim-store.ts'
import type { Intake } from './intake.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'
import { digestOf } from './terms-digest.ts'
import { lockClaimOf, noteBuilt } from './soft-claim-store.ts'
import { yieldClaim } from './yield-claim.ts'
import type { YieldDeps } from './yield-claim.ts'

export interface SoftDeps extends YieldDeps {
  readonly records: ReceivedRecords
  readonly random: Random
}

export interface SoftOrder {
  readonly accountId: AccountId
  readonly intake: Intake
  /** Until when the build is to be the account's alone. */
  readonly untilMilliseconds: number
}

export type SoftlyClaimed =
  | { readonly kind: 'claimed'; readonly paymentId: PaymentId; readonly state: ReceivedState }
  /** The account's own, and past building: on chain, under way from here, answered or over. */
  | { readonly kind: 'standing'; readonly standing: StandingClaim }
  /** Somebody else's, or for other terms: nothing more is told. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'foreign receiver' }

/** The account's own claim of a proof. */
export interface StandingClaim {
  readonly paymentId: PaymentId
  readonly state: ReceivedState
  readonly answeredAtMilliseconds: number | null
}

const TRIES_MAX = 4

/**
 * Claims a proof for a build that the seller's own wallet is to sign, in the transaction that stores the build. The same account and
 * terms have their claim again, a lapsed one of another is taken over. The proof's row is locked first, then its record.
 */
export async function claimSoftly(
  tx: Tx,
  deps: SoftDeps,
  { accountId, intake, untilMilliseconds }: SoftOrder,
): Promise<SoftlyClaimed> {
  const { records, clock, random } = deps
  const { chain, authorization } = intake
  const { network, family } = chain.config
  const owner = await receiverAccount(tx, family, authorization.payTo)
  if (owner !== undefined && owner !== accountId) return { kind: 'foreign receiver' }
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const claim = await lockClaimOf(tx, network, authorization.proofKey)
    if (claim === undefined) {
      const paymentId = newId(random, 'pay')
      const beginning = { accountId, paymentId, digest: digestOf(intake), intake, isNew: true }
      const made = claimFor(beginning, await followedHeight(tx, network))
      const soft = { ...made, softUntilMilliseconds: untilMilliseconds }
      if (!(await insertClaim(tx, soft, clock.nowMilliseconds()))) continue
      await records.open(tx, recordFor(beginning))
      const state = await records.state(tx, accountId, paymentId)
      if (state === undefined) throw new Error('a claim has no record')
      return { kind: 'claimed', paymentId, state }
    }
    const standing = await standingClaim(tx, deps, claim, { accountId, intake })
    if (standing === undefined) {
      if (await yieldClaim(tx, deps, claim)) continue
      return { kind: 'taken' }
    }
    if (!isBuildable(standing)) return { kind: 'standing', standing }
    await noteBuilt(tx, claim.paymentId, untilMilliseconds, authorization)
    return { kind: 'claimed', paymentId: claim.paymentId, state: standing.state }
  }
  throw new Error('a claim was neither made nor found')
}

/** A claim as its own account sees it; undefined when it is another's, or for other terms. */
export async function standingClaim(
  tx: Tx,
  { records }: Pick<SoftDeps, 'records'>,
  claim: Claim,
  { accountId, intake }: Pick<SoftOrder, 'accountId' | 'intake'>,
): Promise<StandingClaim | undefined> {
  if (!isSameClaim(claim, accountId, digestOf(intake))) return undefined
  const { paymentId, answeredAtMilliseconds } = claim
  const state = await records.state(tx, accountId, paymentId)
  if (state === undefined) throw new Error('a claim has no record')
  return { paymentId, state, answeredAtMilliseconds }
}

/** Whether another transaction could still settle it. */
export function isBuildable({ state, answeredAtMilliseconds }: StandingClaim): boolean {
  return state.status === 'pending' && !state.underWay && answeredAtMilliseconds === null
}
