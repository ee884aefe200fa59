import type { Reason } from '@florin/wire/x402/reasons.ts'
import { receiverAccount } from '../custody/receiver-store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { lookedFrom } from '../chains/looked-from.ts'
import { followedHeight, networkStanding } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Beginning, Begun, ClaimDeps } from './beginning.ts'
import type { ClaimOrder } from './claim-many.ts'
import { insertClaim, lockClaim } from './claim-store.ts'
import type { NewClaim } from './claim-store.ts'
import { takeIdentifier } from './identifier-store.ts'
import type { NewReceived } from './records.ts'
import { LaneFrozen, LaneShort, placeInLane, stopForeign } from './settler-lane.ts'
import { reserveSponsoring } from './sponsoring.ts'

/** One claim in a transaction of its own. Nothing is sent here. */
export async function claimAlone(
  deps: ClaimDeps,
  settler: Wallet,
  { beginning, draft }: ClaimOrder,
): Promise<Begun> {
  const { store, killPoint } = deps
  const { chain, authorization } = beginning.intake
  const { config } = chain
  const signer = await deps.signerFor(settler, config)
  try {
    const begun = await store.inTransaction('service', async (tx) => {
      if ((await networkStanding(tx, config.network)) !== 'followed') {
        return { kind: 'refused', reason: 'network_unavailable' } as const
      }
      if (!(await hold(tx, deps, beginning))) return { kind: 'taken' } as const
      const refusal = await reserveSponsoring(
        tx,
        config,
        { accountId: beginning.accountId, payer: authorization.payer },
        draft,
        deps.clock.nowMilliseconds(),
      )
      if (refusal !== undefined) throw new ClaimRefused(refusal)
      const { paymentId, requestId } = beginning
      const signed = await placeInLane(
        tx,
        deps,
        { chain, settler, signer, draft },
        [paymentId],
        requestId,
      )
      killPoint('claim.before-commit')
      return { kind: 'signed', network: config.network, signed } as const
    })
    if (begun.kind === 'signed') killPoint('claim.after-commit')
    return begun
  } catch (error) {
    if (error instanceof ClaimRefused) return { kind: 'refused', reason: error.reason }
    if (error instanceof LaneShort) return { kind: 'unusable' }
    if (!(error instanceof LaneFrozen)) throw error
    // Everything above was rolled back; what was found out about the key must stay.
    if (error.foundNow)
      await stopForeign(deps.store, config.network, settler.address, draft.laneLatest)
    return { kind: 'unusable' }
  } finally {
    signer.erase()
  }
}

/** Rolls the claim back: not for this account, or not paid for. */
export class ClaimRefused extends Error {
  override readonly name = 'ClaimRefused'
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

/**
 * Makes the claim, takes its name and opens its record, unless that is there already; or locks the claim that is there. False when
 * another call was first.
 */
export async function hold(
  tx: Tx,
  deps: ClaimDeps,
  beginning: Beginning,
  hasRecord = false,
): Promise<boolean> {
  const { accountId, paymentId, intake, isNew, named } = beginning
  const { chain, authorization } = intake
  const { network, family } = chain.config
  const now = deps.clock.nowMilliseconds()
  const takeName = async () => {
    if (named === undefined || (await takeIdentifier(tx, deps.records, named, now))) return
    throw new ClaimRefused('payment_identifier_conflict')
  }
  if (!isNew) {
    if (!(await lockClaim(tx, beginning))) return false
    const state = await deps.records.state(tx, accountId, paymentId)
    if (state?.status !== 'pending' || state.underWay) return false
    await takeName()
    return true
  }
  const owner = await receiverAccount(tx, family, authorization.payTo)
  if (owner !== undefined && owner !== accountId) {
    throw new ClaimRefused('receiver_of_another_account')
  }
  const claim = claimFor(beginning, await followedHeight(tx, network))
  if (!(await insertClaim(tx, claim, now))) return false
  await takeName()
  if (!hasRecord) await deps.records.open(tx, recordFor(beginning))
  return true
}

/** The claim of a beginning, on a network that has been read this far. */
export function claimFor(
  { accountId, paymentId, digest, intake }: Beginning,
  followed: bigint | null,
): NewClaim {
  const { chain, authorization, payment } = intake
  return {
    paymentId,
    accountId,
    network: chain.config.network,
    proofKey: authorization.proofKey,
    termsDigest: digest,
    x402Version: payment.x402Version,
    stored: authorization.stored,
    validBeforeSeconds: authorization.validBeforeSeconds,
    sinceHeight: lookedFrom(followed ?? 0n, chain.config),
  }
}

/** The record that goes with it. */
export function recordFor({ accountId, paymentId, intake }: Beginning): NewReceived {
  const { chain, authorization, resource } = intake
  const { asset, amount, payer, payTo } = authorization
  return { paymentId, accountId, network: chain.config, asset, amount, payer, payTo, resource }
}

/** Claims a payment that another facilitator is to settle, and opens its record: before that one hears of it. */
export async function beginElsewhere(deps: ClaimDeps, beginning: Beginning): Promise<Begun> {
  const { config } = beginning.intake.chain
  try {
    return await deps.store.inTransaction('service', async (tx) => {
      if ((await networkStanding(tx, config.network)) !== 'followed') {
        return { kind: 'refused', reason: 'network_unavailable' }
      }
      return { kind: (await hold(tx, deps, beginning)) ? 'found' : 'taken' }
    })
  } catch (error) {
    if (error instanceof ClaimRefused) return { kind: 'refused', reason: error.reason }
    throw error
  }
}
