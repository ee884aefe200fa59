import { unitsOf } from '@florin/wire/x402/fields.ts'
import type { Chain } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ExactAuthorization, ExactPayments } from '../chains/exact.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { standsOnFollowed } from '../sender/follower-store.ts'
import type { Store } from '../store/postgres.ts'
import type { PurchaseBook } from './book.ts'
import { noteDead, noteLook, silentPurchases } from './live-store.ts'
import type { OpenPurchase } from './live-store.ts'

export interface WatchPurchasesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly book: PurchaseBook
}

const FIRST_PAUSE_MILLISECONDS = 500
const DOUBLINGS_MAX = 10

/**
 * Asks the chain about authorizations of which nothing has been seen. Only what is final ends one; a look that failed says nothing, and
 * the authorization is looked at again in its turn.
 */
export async function watchPurchases(
  deps: WatchPurchasesDeps,
  chain: Chain,
  finalizedHeight: bigint,
  stopping?: AbortSignal,
): Promise<void> {
  const { store, clock, log } = deps
  const { network } = chain.config
  const due = await store.inTransaction('service', (tx) =>
    silentPurchases(tx, network, clock.nowMilliseconds()),
  )
  if (due.length === 0) return
  const mortal = due.filter(({ lastValidBlockHeight }) => lastValidBlockHeight !== null)
  if (mortal.length > 0) await lookAtLifetimes(deps, chain, mortal)
  for (const purchase of due) {
    if (stopping?.aborted === true) return
    const { paymentId, looks } = purchase
    let pause = Math.min(
      FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(looks, DOUBLINGS_MAX),
      limits.purchaseLookSecondsMax * 1000,
    )
    try {
      if (chain.exact !== undefined && purchase.validBeforeSeconds !== null) {
        const seen = await lookAt(deps, chain, chain.exact, purchase, finalizedHeight)
        if (seen === 'ahead') pause = FIRST_PAUSE_MILLISECONDS
      }
    } catch (error) {
      log.warn({ network, paymentId, err: error }, 'an open authorization was not looked at')
    }
    await store.inTransaction('service', (tx) =>
      noteLook(tx, paymentId, clock.nowMilliseconds() + pause),
    )
  }
}

/**
 * `ahead`: a use was shown in a block that is none of the followed chain, as far as that was read, or that another node does not have yet; in a
 * moment it will say which is.
 */
async function lookAt(
  { store, book }: WatchPurchasesDeps,
  chain: Chain,
  exact: ExactPayments,
  purchase: OpenPurchase,
  finalizedHeight: bigint,
): Promise<'ahead' | undefined> {
  const authorization = authorizationOf(purchase, chain)
  // Nobody here can say what becomes of it any more, until the asset is configured again.
  if (authorization === undefined) return undefined
  const { paymentId, sinceHeight } = purchase
  const final = await exact.finalState(authorization)
  if (final === 'expired') {
    await store.inTransaction('service', (tx) => book.over(tx, [paymentId]))
    return undefined
  }
  const check = final === 'open' ? await exact.check(authorization) : undefined
  const isUsed = final === 'used' || (check?.ok === false && check.isUsed === true)
  const use = isUsed ? await exact.findForeign(authorization, lookFrom(sinceHeight)) : undefined
  if (use?.kind === 'behind') return 'ahead'
  if (use === undefined) return undefined
  return store.inTransaction('service', async (tx) => {
    if (use.kind === 'paid') {
      const place = { paymentId, ...use.settlement }
      const said = await book.used(tx, chain.config.network, [place])
      return said.has(paymentId) ? undefined : 'ahead'
    }
    // Cancelled, or spent on something else, in a block that stays.
    const isFinal = final === 'used' && use.height <= finalizedHeight
    if (isFinal && (await standsOnFollowed(tx, chain.config.network, use))) {
      await book.over(tx, [paymentId])
    }
    return undefined
  })
}

/** Lower than where it was signed: a reorganisation may bring its use below, and nothing older has a nonce that was drawn for it. */
function lookFrom(sinceHeight: bigint): bigint {
  const back = BigInt(limits.lookBackBlocks)
  return sinceHeight > back ? sinceHeight - back : 0n
}

/**
 * Notes those whose lifetime every node that answers calls over. That only counts once our own chain is final up to the block that the
 * word is about: whatever could have been included was read by then.
 */
async function lookAtLifetimes(
  { store }: WatchPurchasesDeps,
  { renewal }: Chain,
  purchases: readonly OpenPurchase[],
): Promise<void> {
  if (renewal.kind !== 'lifetime' || renewal.finalHeights === undefined) return
  const reaches = await renewal.finalHeights()
  const over = purchases.filter(({ lastValidBlockHeight: last }) =>
    reaches.every(({ lifetime }) => last !== null && lifetime > last),
  )
  const height = reaches.reduce((most, reach) => (reach.height > most ? reach.height : most), 0n)
  const dead = over.map(({ paymentId }): { paymentId: PaymentId; height: bigint } => ({
    paymentId,
    height,
  }))
  await store.inTransaction('service', (tx) => noteDead(tx, dead))
}

/** The authorization as its chain read it once; undefined when its asset is not configured any more. */
function authorizationOf(
  { proofKey: key, stored, validBeforeSeconds }: OpenPurchase,
  { config, parseAddress }: Chain,
): ExactAuthorization | undefined {
  const asset = config.assets.find((known) => known.asset === stored['token'])
  if (asset === undefined) return undefined
  const payer = parseAddress(stored['from'] ?? '')
  const payTo = parseAddress(stored['to'] ?? '')
  const amount = unitsOf(stored['value'])
  if (payer === undefined || payTo === undefined || amount === undefined) {
    throw new Error('a stored authorization that is none')
  }
  const proof = { proofKey: proofKey(key), payer, payTo, amount, asset }
  return { ...proof, validBeforeSeconds, feePayer: null, isOurs: true, stored }
}
