import type { NetworkId } from '@florin/wire/network.ts'
import type { Chain } from '../chains/chain.ts'
import type { AuthorizationState, AuthorizationUse } from '../chains/exact.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { holdFollowed, standsOnFollowed } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { BeginDeps } from './beginning.ts'
import type { Claim } from './claim.ts'
import type { DueClaim, NextLook } from './claim-looks-store.ts'
import { noteLooks, openClaims } from './claim-looks-store.ts'
import { authorizationOf } from './authorization-of.ts'
import { sentOf } from './claim-transfer.ts'
import { isOwed } from './owed.ts'
import type { ReceivedState } from './records.ts'
import { settleAgain } from './settle-again.ts'
import { lockClaimOf } from './soft-claim-store.ts'

/** Open claims that are looked at in one round. */
const CLAIMS_PER_ROUND_MAX = 500

export interface WatchDeps extends BeginDeps {
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
  stopping?: AbortSignal,
): Promise<void> {
  const { store, clock, log } = deps
  const { network } = chain.config
  const claims = await openUndecided(deps, network)
  for (let from = 0; from < claims.length; from += limits.claimsPerReadMax) {
    const together = claims.slice(from, from + limits.claimsPerReadMax)
    const words = await readWords(chain, together)
    const looks: { claim: DueClaim; next: NextLook }[] = []
    for (const [index, claim] of together.entries()) {
      if (stopping?.aborted === true) break
      // A look that failed says nothing, so it is not soon repeated without an end either.
      let next: NextLook = 'open'
      try {
        next = await watchClaim(deps, chain, claim, { word: words[index], finalizedHeight })
      } catch (error) {
        const { paymentId } = claim
        log.warn({ network, paymentId, err: error }, 'an open settlement was not looked at')
      }
      looks.push({ claim, next })
    }
    await store.inTransaction('service', (tx) => noteLooks(tx, looks, clock.nowMilliseconds()))
    if (stopping?.aborted === true) return
  }
}

/** What the chain says of a claim's authorization. What its seller sends whenever it likes is looked for before it is final. */
interface Word {
  readonly final: AuthorizationState
  readonly isUsed: boolean
}

interface Shown {
  /** Left out: of a claim that there is none of. */
  readonly word: PromiseSettledResult<Word | undefined> | undefined
  readonly finalizedHeight: bigint
}

/** Asks for all of them in one turn of the loop, so that what the chain answers to one it answers to all. */
function readWords(
  chain: Chain,
  claims: readonly Claim[],
): Promise<readonly PromiseSettledResult<Word | undefined>[]> {
  const readWord = async (claim: Claim): Promise<Word | undefined> => {
    const { exact } = chain
    // The other side of a payment from here goes where that one goes, and what has no time ends by a block.
    if (exact === undefined || sentOf(claim) !== undefined) return undefined
    const authorization = authorizationOf(claim, chain)
    if (authorization === undefined || authorization.validBeforeSeconds === null) return undefined
    const final = await exact.finalState(authorization)
    if (final !== 'open') return { final, isUsed: final === 'used' }
    if (claim.builtUntilMilliseconds === null) return { final, isUsed: false }
    const check = await exact.check(authorization)
    return { final, isUsed: !check.ok && check.isUsed === true }
  }
  return Promise.allSettled(claims.map(readWord))
}

/** The claims of a round without those of which the books alone know enough: those are noted together. */
async function openUndecided(
  { store, records, clock }: WatchDeps,
  network: NetworkId,
): Promise<readonly DueClaim[]> {
  return store.inTransaction('service', async (tx) => {
    const now = clock.nowMilliseconds()
    const claims = await openClaims(tx, network, CLAIMS_PER_ROUND_MAX, now)
    if (claims.length === 0) return []
    const { over, underWay } = await records.decided(
      tx,
      claims.map(({ paymentId }) => paymentId),
    )
    // The other side of a payment from here has no transaction of its own: it goes where that one goes.
    const isKnown = (claim: Claim) =>
      over.has(claim.paymentId) || (underWay.has(claim.paymentId) && sentOf(claim) === undefined)
    const looks = claims.filter(isKnown).map((claim) => {
      const next: NextLook = over.has(claim.paymentId) ? 'never' : 'carried'
      return { claim, next }
    })
    await noteLooks(tx, looks, now)
    return claims.filter((claim) => !isKnown(claim))
  })
}

/** Moves one claim on as far as the chain proves, and says when it is to be looked at again. */
async function watchClaim(
  deps: WatchDeps,
  chain: Chain,
  claim: Claim,
  { word, finalizedHeight }: Shown,
): Promise<NextLook> {
  const { store, records, clock } = deps
  const { accountId, paymentId } = claim
  const state = await store.inTransaction('service', (tx) =>
    records.state(tx, accountId, paymentId),
  )
  if (state === undefined) throw new Error('a claim has no record')
  const { exact } = chain
  const authorization = authorizationOf(claim, chain)
  if (isOver(state)) return 'never'
  const sentId = sentOf(claim)
  if (sentId !== undefined) {
    await store.inTransaction('service', (tx) => records.mirror(tx, claim, sentId))
    return 'soon'
  }
  if (state.underWay) return 'carried'
  // Nobody here can say what becomes of it any more, until the asset is configured again.
  if (exact === undefined || authorization === undefined) return 'lost'

  const find = () => exact.findForeign(authorization, claim.sinceHeight)
  if (state.status === 'confirmed') {
    const isLate = word?.status === 'fulfilled' && word.value?.final === 'expired'
    await followConfirmed({ store, records }, claim, state, { find, finalizedHeight, isLate })
    return 'soon'
  }
  if (authorization.validBeforeSeconds === null) {
    // Without an end of its own, the payer's bytes end in a final block where they did not pay, or with the sender's proof that they expired.
    if (!state.isFinal) return 'open'
    await store.inTransaction('service', (tx) => records.expired(tx, [paymentId]))
    return 'never'
  }
  if (word?.status === 'rejected') throw word.reason
  // Its record says now what nobody asked the chain for.
  if (word?.value === undefined) return 'open'
  const found = { ...word.value, find, finalizedHeight }
  const next = await followPending({ store, records }, claim, found)
  // What came to nothing beside others is no fault of its payer, whether or not somebody still waits for it. Not for as long as its authorization
  // lives, which may be years, but until that block is final.
  if (state.wasShared && state.revertedWhole && !state.isFinal) deps.claims.keepApart(claim.network)
  if (next !== 'open') return next
  if (!isOwed(claim, state)) return isIdle(claim, state, clock.nowMilliseconds()) ? 'idle' : 'open'
  return (await settleAgain(deps, chain, claim, authorization)) ? 'soon' : 'open'
}

/** Whether nothing but its payer's signature is at stake: no try of ours, no success that was told, no build that its seller still holds. */
function isIdle(
  { answeredAtMilliseconds, builtUntilMilliseconds: until }: Claim,
  { hash }: ReceivedState,
  nowMilliseconds: number,
): boolean {
  const isBuilt = until !== null && until > nowMilliseconds
  return answeredAtMilliseconds === null && !isBuilt && hash === null
}

type Deciders = Pick<WatchDeps, 'store' | 'records'>
interface Finding {
  find(): Promise<AuthorizationUse | undefined>
  readonly finalizedHeight: bigint
}

/**
 * What somebody else's transaction paid stands for as long as the chain that was read has its block: no node's word about its own chain
 * takes that back.
 */
async function followConfirmed(
  { store, records }: Deciders,
  claim: Claim,
  { block, hash, blockHeight: height, blockHash, logIndex }: ReceivedState,
  { find, finalizedHeight, isLate }: Finding & { readonly isLate: boolean },
): Promise<void> {
  if (block === 'followed' && hash !== null && height !== null && blockHash !== null) {
    if (height > finalizedHeight || logIndex === null) return
    const settlement = { hash, height, blockHash, logIndex }
    await store.inTransaction('service', async (tx) => {
      await holdFollowed(tx, claim.network)
      await records.paidElsewhere(tx, claim, settlement, true)
    })
    return
  }
  const use = await find()
  await store.inTransaction('service', async (tx) => {
    await holdFollowed(tx, claim.network)
    // What only the payer's own bytes can pay is taken back by whoever reads the blocks, with the cursor.
    // A block that is forgotten was replaced where a final one shows, past the end of its time, that it was never used.
    const isGone = block === 'replaced' || (block === 'unknown' && isLate)
    if (isGone && claim.validBeforeSeconds !== null) {
      await records.unseen(tx, [claim.paymentId])
    }
    if (use?.kind !== 'paid') return
    const { settlement } = use
    const final = await isFinal(tx, claim, settlement, finalizedHeight)
    await records.paidElsewhere(tx, claim, settlement, final)
  })
}

async function followPending(
  { store, records }: Deciders,
  claim: Claim,
  { final, isUsed, find, finalizedHeight }: Word & Finding,
): Promise<NextLook> {
  if (final === 'open' && !isUsed) return 'open'
  // Used, and nothing shows by what: the node that was asked may not have it yet.
  const use = isUsed ? await find() : undefined
  const pays = await store.inTransaction('service', async (tx) => {
    await holdFollowed(tx, claim.network)
    const isWasted = use?.kind === 'wasted' && (await isFinal(tx, claim, use, finalizedHeight))
    const isLate = final === 'expired' && (await isItsEnd(tx, claim))
    if (isLate || isWasted) await records.expired(tx, [claim.paymentId])
    if (use?.kind !== 'paid') return use?.kind
    const { settlement } = use
    const isPaid = await isFinal(tx, claim, settlement, finalizedHeight)
    return records.paidElsewhere(tx, claim, settlement, isPaid)
  })
  if (final === 'used' && pays === 'behind') return 'behind'
  const isUnexplained = pays === undefined || pays === 'pays another'
  return final === 'used' && isUnexplained ? 'lost' : 'soon'
}

/** Whether a claim still ends when it did as it was read: another facilitator may have been handed a signature that can be used longer. */
async function isItsEnd(
  tx: Tx,
  { network, proofKey, validBeforeSeconds }: Claim,
): Promise<boolean> {
  const claim = await lockClaimOf(tx, network, proofKey)
  return claim?.validBeforeSeconds === validBeforeSeconds
}

/** A final height counts on its own branch only, and a node may have shown a block of another. */
async function isFinal(
  tx: Tx,
  { network }: Claim,
  place: { readonly height: bigint; readonly blockHash: string },
  finalizedHeight: bigint,
): Promise<boolean> {
  return place.height <= finalizedHeight && (await standsOnFollowed(tx, network, place))
}

function isOver({ status }: ReceivedState): boolean {
  return status === 'settled' || status === 'failed' || status === 'expired'
}
