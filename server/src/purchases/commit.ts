import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Chain, Draft } from '../chains/chain.ts'
import type { PreparedAuthorization } from '../chains/exact.ts'
import type { Signer } from '../chains/signer.ts'
import { keepWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { addToOutbox } from '../events/store.ts'
import { claimKeys, giveKeysBack } from '../idempotency/store.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { decideSends } from '../payments/decide-sends.ts'
import type { Refused } from '../payments/decide-sends.ts'
import { paymentEvent } from '../payments/event.ts'
import { bookHolds } from '../payments/hold.ts'
import { nameFunds } from '../payments/name-funds.ts'
import { newPayment } from '../payments/new-payment.ts'
import type { Payment } from '../payments/payment.ts'
import { insertPayments } from '../payments/store.ts'
import { networkStanding } from '../sender/follower-store.ts'
import { lockLane } from '../sender/lane-store.ts'
import type { TradeBook } from '../sender/trade-book.ts'
import type { Tx } from '../store/postgres.ts'
import type { Choice } from './choose.ts'
import type { Demand } from './demand.ts'
import { paymentHeader } from './payment-header.ts'
import type { Purchase } from './purchase.ts'
import { refuseUnfit } from './refuse-unfit.ts'
import { insertPurchase, isCrowded, joinablePurchase } from './store.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

/** The operation under which idempotency keys of purchases are kept. */
export const FETCH_OPERATION = 'fetchPayment'

/** What is to be signed, and for what. */
export interface Signing {
  readonly chain: Chain
  readonly wallet: Wallet
  readonly signer: Signer
  readonly prepared: PreparedAuthorization
  /** Asked for what it says of balances; nothing of it is sent. */
  readonly draft: Draft
  readonly demand: Demand
  readonly choice: Choice
  readonly asset: AssetProfile
  /** What the caller is willing to pay. */
  readonly ceiling: BaseUnits
  readonly paymentId: PaymentId
  readonly url: string
  readonly requestDigest: Uint8Array
  readonly metadataText: string | null
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
  readonly nowMilliseconds: number
  readonly killPoint: (point: KillPoint) => void
  /** Names money that trades brought in; left out where nobody trades. */
  readonly trades?: Pick<TradeBook, 'holdUnbooked' | 'unbooked'> | undefined
}

/** What the signing transaction decided. Only `committed` has stored anything but a key that names the joined payment. */
export type SigningDecision =
  | { readonly kind: 'committed'; readonly purchase: Purchase }
  /** Another request was faster: its authorization is the one that is shown. */
  | { readonly kind: 'joined'; readonly paymentId: PaymentId }
  | { readonly kind: 'replay'; readonly paymentId: string }
  | { readonly kind: 'mismatch' | 'frozen' | 'halted' | 'unfollowed' | 'wallet_gone' }
  /** The account has as many open of which the chain shows nothing as it may, of this seller or in all. */
  | { readonly kind: 'crowded' }
  | Refused

/**
 * Decides, signs and stores in one transaction: lane lock, key, whether the same request is under way, budget, money, signature, then
 * payment, hold, event and the header that the seller will be shown. Nothing here asks anybody.
 */
export async function commitPurchase(tx: Tx, signing: Signing): Promise<SigningDecision> {
  const { chain, wallet, draft, paymentId, nowMilliseconds: now, once, requestDigest } = signing
  const { network } = chain.config
  const standing = await networkStanding(tx, network)
  if (standing !== 'followed') return { kind: standing }
  // One row orders everything that takes money from this wallet, payments with a place and those without.
  const lane = await lockLane(tx, network, wallet.address, draft.laneLatest)
  if (!(await keepWallet(tx, wallet.id))) return { kind: 'wallet_gone' }
  if (lane.frozenReason !== null) return { kind: 'frozen' }
  const open = await joinablePurchase(tx, wallet.accountId, wallet.id, network, requestDigest)
  const resourceId = open?.paymentId ?? paymentId
  if (once !== null) {
    const claim = { accountId: wallet.accountId, operation: FETCH_OPERATION, ...once, resourceId }
    const [claimed] = await claimKeys(tx, [claim], now)
    if (claimed?.kind === 'mismatch') return { kind: 'mismatch' }
    if (claimed?.kind === 'replay') return { kind: 'replay', paymentId: claimed.resourceId }
  }
  if (open !== undefined) {
    await refuseUnfit(tx, open, signing)
    return { kind: 'joined', paymentId: open.paymentId }
  }
  const decision = await decideAndStore(tx, signing)
  if (decision.kind !== 'committed' && once !== null) {
    const { accountId } = wallet
    await giveKeysBack(tx, [{ accountId, operation: FETCH_OPERATION, key: once.key, resourceId }])
  }
  return decision
}

/** Policy and money first; what passes is signed and stored with its hold and event. */
async function decideAndStore(tx: Tx, signing: Signing): Promise<SigningDecision> {
  const { chain, wallet, draft, choice, asset, paymentId, nowMilliseconds: now } = signing
  const { accountId } = wallet
  const place = { accountId, network: chain.config.network, url: signing.url }
  if (await isCrowded(tx, place)) return { kind: 'crowded' }
  const wanted = {
    paymentId,
    asset,
    recipient: choice.payTo,
    amount: choice.amount,
    priorityFee: null,
    commitment: new Uint8Array(),
    resource: signing.url,
    metadataText: signing.metadataText,
    // The seller's side pays the network.
    draft: { ...draft, feeCeiling: baseUnits(0n) },
    deadlineMilliseconds: now,
    once: null,
  }
  const { trades } = signing
  const decided = await decideSends(tx, { chain, wallet, nowMilliseconds: now, trades }, [wanted])
  const refused = decided.refused.get(paymentId)
  if (refused !== undefined) return refused
  const signed = await signing.prepared.sign(signing.signer)
  const purchase: Purchase = {
    paymentId,
    accountId: wallet.accountId,
    walletId: wallet.id,
    network: chain.config.network,
    requestDigest: signing.requestDigest,
    url: signing.url,
    proofKey: signed.authorization.proofKey,
    stored: signed.authorization.stored,
    validBeforeSeconds: signed.authorization.validBeforeSeconds,
    lastValidBlockHeight: signed.lastValidBlockHeight,
    feePayer: signed.authorization.feePayer,
    sinceHeight: draft.balances.height,
    ...paymentHeader(signing.demand, choice.offer, signed.payload, paymentId, signed.extensions),
    askingUntilMilliseconds: null,
    shown: 0,
    answer: null,
    isDelivered: false,
    looks: 0,
  }
  const payment = paymentOf(signing)
  await insertPayments(tx, [payment])
  await insertPurchase(tx, purchase, now)
  const booked = { wallet, config: chain.config, nowMilliseconds: now }
  const funding = await nameFunds(tx, signing, decided.funding, decided.lookedAt)
  await bookHolds(tx, booked, funding, [payment])
  await addToOutbox(tx, [paymentEvent(payment, null)], now)
  signing.killPoint('fetch.before-commit')
  return { kind: 'committed', purchase }
}

function paymentOf(signing: Signing): Payment {
  const { chain, wallet, asset, choice, nowMilliseconds } = signing
  return newPayment(
    {
      id: signing.paymentId,
      accountId: wallet.accountId,
      type: 'sent',
      walletId: wallet.id,
      amount: choice.amount,
      sender: wallet.address,
      recipient: choice.payTo,
      resource: signing.url,
      metadataText: signing.metadataText,
      feeCeiling: baseUnits(0n),
    },
    chain.config,
    asset,
    nowMilliseconds,
  )
}
