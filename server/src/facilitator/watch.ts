import type { Chain } from '../chains/chain.ts'
import type { ForeignSettlement } from '../chains/exact.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { noteLooks, openClaims } from './claim-store.ts'
import { authorizationOf } from './authorization-of.ts'
import { sentOf } from './claim-transfer.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'

/** Open claims that are looked at in one round. */
const CLAIMS_PER_ROUND_MAX = 100

export interface WatchDeps {
  readonly store: Store
  readonly records: ReceivedRecords
  readonly clock: Clock
  readonly log: Log
}

/**
 * Follows claims that nothing of ours decides: whose attempt reverted, that somebody else settled, or that were never sent. Only what is
 * final ends one. A look that failed says nothing; the claim is looked at again in its turn.
 */
export async function watchClaims(
  deps: WatchDeps,
  chain: Chain,
  finalizedHeight: bigint,
): Promise<void> {
  const { store, clock, log } = deps
  const { network } = chain.config
  const claims = await store.inTransaction('service', (tx) =>
    openClaims(tx, network, CLAIMS_PER_ROUND_MAX),
  )
  for (const claim of claims) {
    let closed = false
    try {
      closed = await watchClaim(deps, chain, claim, finalizedHeight)
    } catch (error) {
      const { paymentId } = claim
      log.warn({ network, paymentId, err: error }, 'an open settlement was not looked at')
    }
    const look = [{ paymentId: claim.paymentId, closed }]
    await store.inTransaction('service', (tx) => noteLooks(tx, look, clock.nowMilliseconds()))
  }
}

/** Moves one claim on as far as the chain proves; true when it needs no more looking. */
async function watchClaim(
  { store, records }: WatchDeps,
  chain: Chain,
  claim: Claim,
  finalizedHeight: bigint,
): Promise<boolean> {
  const { accountId, paymentId } = claim
  const state = await store.inTransaction('service', (tx) =>
    records.state(tx, accountId, paymentId),
  )
  if (state === undefined) throw new Error('a claim has no record')
  const { exact } = chain
  const authorization = authorizationOf(claim, chain)
  if (isOver(state)) return true
  const sentId = sentOf(claim)
  if (sentId !== undefined) {
    await store.inTransaction('service', (tx) => records.mirror(tx, claim, sentId))
    return false
  }
  if (state.underWay || exact === undefined || authorization === undefined) return false

  if (state.status === 'confirmed') {
    const found = await exact.findForeign(authorization, claim.sinceHeight)
    await store.inTransaction('service', (tx) =>
      found === undefined
        ? records.unseen(tx, [paymentId])
        : records.paidElsewhere(tx, claim, found, isFinal(found, finalizedHeight)),
    )
    return false
  }
  if (authorization.validBeforeSeconds === null) {
    // Without an end of its own, the payer's bytes end with the proof that they failed, or with the sender's that they expired.
    if (!state.revertedForGood) return false
    await store.inTransaction('service', (tx) => records.expired(tx, [paymentId]))
    return true
  }
  return followPending({ store, records }, claim, {
    finalState: () => exact.finalState(authorization),
    find: () => exact.findForeign(authorization, claim.sinceHeight),
    finalizedHeight,
  })
}

async function followPending(
  { store, records }: Pick<WatchDeps, 'store' | 'records'>,
  claim: Claim,
  chain: {
    finalState(): Promise<'open' | 'used' | 'expired'>
    find(): Promise<ForeignSettlement | undefined>
    readonly finalizedHeight: bigint
  },
): Promise<boolean> {
  const final = await chain.finalState()
  if (final === 'open') return false
  const found = final === 'used' ? await chain.find() : undefined
  await store.inTransaction('service', async (tx) => {
    // Used, and no transfer followed: the payer cancelled it.
    if (found === undefined) await records.expired(tx, [claim.paymentId])
    else await records.paidElsewhere(tx, claim, found, isFinal(found, chain.finalizedHeight))
  })
  return false
}

function isFinal({ height }: ForeignSettlement, finalizedHeight: bigint): boolean {
  return height <= finalizedHeight
}

function isOver({ status }: ReceivedState): boolean {
  return status === 'settled' || status === 'failed' || status === 'expired'
}
