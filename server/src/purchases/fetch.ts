import { createHash } from 'node:crypto'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { PAYMENT_HEADER_CHARACTERS_MAX } from '@florin/wire/x402/payment-header.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { findWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { AfterCommit } from '../http/after-commit.ts'
import { claimKeys, findKey } from '../idempotency/store.ts'
import { newId, parseId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { DialFailure } from '../outbound/dial.ts'
import type { OutboundAnswer } from '../outbound/outbound.ts'
import type { Payment } from '../payments/payment.ts'
import { decide, NOTHING_SPENT } from '../policies/decide.ts'
import type { PolicyRules } from '../policies/rules.ts'
import { readPolicy } from '../policies/store.ts'
import type { Tx } from '../store/postgres.ts'
import { keptAnswer } from './ask-seller.ts'
import type { SellerRequest, SellerTurn } from './ask-seller.ts'
import { authorize } from './authorize.ts'
import type { AuthorizeDeps } from './authorize.ts'
import { choose } from './choose.ts'
import type { Choice } from './choose.ts'
import { FETCH_OPERATION } from './commit.ts'
import { readDemand } from './demand.ts'
import type { Demand } from './demand.ts'
import { notAskable } from './not-askable.ts'
import { showPayment } from './show-payment.ts'
import type { ShowDeps } from './show-payment.ts'
import type { LostAnswer, SellerAnswer } from './purchase.ts'
import { refuseUnfit } from './refuse-unfit.ts'
import { joinablePurchase } from './store.ts'
import type { TooLong } from './too-long.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

export interface FetchDeps extends AuthorizeDeps, ShowDeps {
  readonly tooLong?: TooLong
}

/** A purchase as the door has parsed it. */
export interface FetchOrder {
  readonly accountId: AccountId
  readonly chain: Chain
  readonly walletAddress: Address
  readonly asset: AssetProfile
  readonly ceiling: BaseUnits
  readonly request: SellerRequest
  readonly metadataText: string | null
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
  /** Nobody listens any more: what is not signed by then is not signed. */
  readonly clientGone: AbortSignal
  /** The wait for the chain ends: the caller is gone, or the service stops. */
  readonly waitOver: AbortSignal
  /** Throws when whoever asks was ended meanwhile: a seller may take its time, and then nothing is signed for them any more. */
  readonly demandAdmitted: () => Promise<void>
}

export interface FetchResult {
  /** Null when the seller wanted no money, or none that could be read. */
  readonly payment: Payment | null
  /** The seller's answer; null when there is none that could be kept. */
  readonly answer: SellerAnswer | null
  /** Why there is no answer; null otherwise. */
  readonly problem: string | null
  /** What is known of an answer that was too long to be kept. */
  readonly lost?: LostAnswer
  readonly replayed: boolean
}

/**
 * Asks a seller, pays what it wants if the caller is willing, and asks once more with the payment. A refusal means that nothing was
 * signed. From the signature on nothing here throws anything but AfterCommit, which names the payment.
 */
export async function fetchPaid(deps: FetchDeps, order: FetchOrder): Promise<FetchResult> {
  const { store } = deps
  const { accountId, chain, once, request } = order
  const claim =
    once === null
      ? undefined
      : await store.inTransaction(accountId, (tx) =>
          findKey(tx, { accountId, operation: FETCH_OPERATION, ...once }),
        )
  if (claim?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
  if (claim?.kind === 'replay') return proceed(deps, order, paymentIdOf(claim.resourceId), true)
  const requestDigest = digestOf(request)
  const found = await store.inTransaction(accountId, async (tx) => {
    const wallet = await findWallet(tx, accountId, chain.config.family, order.walletAddress)
    if (wallet === undefined) return {}
    const open = await joinOpen(tx, deps, order, wallet, requestDigest)
    return { wallet, open, policy: await readPolicy(tx, { accountId, walletId: wallet.id }) }
  })
  const { wallet, open, policy } = found
  if (wallet === undefined) {
    throw new Refusal('NOT_FOUND', {
      message: 'There is no such wallet.',
      details: { walletAddress: 'not a wallet of yours' },
    })
  }
  if (open !== undefined) return proceed(deps, order, open, false)
  if (deps.tooLong?.isKnown(accountId, requestDigest) === true) {
    const message = `For this very request the seller has handed out ${TOO_LONG} before. Buy it with a client of your own.`
    throw unpayable('answer_too_long', message)
  }

  const turn = deps.sellers.turn(accountId)
  if (turn === undefined) throw notAsked('busy')
  try {
    return await buy(deps, order, { wallet, policy, requestDigest, turn })
  } finally {
    turn.end()
  }
}

/** Asks for the price, signs, and shows what was signed. */
async function buy(
  deps: FetchDeps,
  order: FetchOrder,
  buying: {
    readonly wallet: Wallet
    /** As it was before anybody was asked: it chooses among offers, and decides nothing. */
    readonly policy: PolicyRules | undefined
    readonly requestDigest: Uint8Array
    readonly turn: SellerTurn
  },
): Promise<FetchResult> {
  const { wallet, policy, requestDigest, turn } = buying
  const { request } = order
  const seconds = limits.fetchAskSeconds
  const asked = await turn.ask({ request, payment: null, seconds, signal: order.clientGone })
  if (asked.kind === 'refused') {
    throw notAskable(asked.reason)
  }
  if (asked.kind === 'failed') {
    // Asking again does not help, and what it says without a payment it says to everybody.
    if (asked.reason === ('body_too_long' satisfies DialFailure)) {
      const message = `Without a payment the seller answers with ${TOO_LONG}. Nothing was signed; ask it yourself.`
      throw unpayable('answer_too_long', message)
    }
    throw notAsked(asked.reason)
  }
  const demand = asked.status === 402 ? await readDemand(asked) : undefined
  if (demand === undefined) return unpaid(asked)
  const choice = chosen(order, demand, policy)
  const paymentId = newId(deps.random, 'pay')
  const authorized = await authorize(deps, {
    ...{ order, wallet, demand, choice, paymentId, requestDigest },
  })
  if (authorized.kind === 'joined') return proceed(deps, order, authorized.paymentId, false, turn)
  deps.killPoint('fetch.after-commit')
  return proceed(deps, order, paymentId, false, turn)
}

const TOO_LONG = `more than ${limits.fetchBodyBytesMax} bytes, which cannot be handed on`

function notAsked(reason: string): Refusal {
  return new Refusal('NETWORK_ERROR', {
    message: 'The seller could not be asked. Nothing was signed.',
    details: { reason },
  })
}

/**
 * What makes two requests one: not their headers, in which a caller may say when it asks, but for those by which the seller tells one user of
 * the caller from another. What was bought for one is no answer for the other.
 */
function digestOf({ method, url, headers, body }: SellerRequest): Uint8Array {
  const hash = createHash('sha256')
  const whose = Object.entries(headers)
    .flatMap(([name, value]) =>
      CREDENTIALS.has(name.toLowerCase()) ? [`${name.toLowerCase()}: ${value}`] : [],
    )
    .toSorted()
  for (const part of [method, url, ...whose]) hash.update(`${Buffer.byteLength(part)}:${part}\n`)
  return new Uint8Array(hash.update(body ?? new Uint8Array()).digest())
}

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie'])

/** The payment of the same request that can still be used, under this request's key as well. */
async function joinOpen(
  tx: Tx,
  { clock }: Pick<FetchDeps, 'clock'>,
  order: FetchOrder,
  wallet: Wallet,
  digest: Uint8Array,
): Promise<PaymentId | undefined> {
  const { accountId, chain, once } = order
  const { network } = chain.config
  const open = await joinablePurchase(tx, accountId, wallet.id, network, digest)
  if (open !== undefined) await refuseUnfit(tx, open, order)
  if (open === undefined || once === null) return open?.paymentId
  const claim = { accountId, operation: FETCH_OPERATION, ...once, resourceId: open.paymentId }
  const [claimed] = await claimKeys(tx, [claim], clock.nowMilliseconds())
  if (claimed?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
  return claimed?.kind === 'replay' ? paymentIdOf(claimed.resourceId) : open.paymentId
}

async function proceed(
  deps: FetchDeps,
  { accountId, chain, request, waitOver }: FetchOrder,
  paymentId: PaymentId,
  replayed: boolean,
  turn?: SellerTurn,
): Promise<FetchResult> {
  try {
    const asking = { accountId, chain, paymentId, request, waitOver, ...(turn && { turn }) }
    return { ...(await showPayment(deps, asking)), replayed }
  } catch (error) {
    throw new AfterCommit(paymentId, error)
  }
}

function unpaid(asked: OutboundAnswer): FetchResult {
  return { payment: null, answer: keptAnswer(asked), problem: null, replayed: false }
}

function chosen(
  { chain, walletAddress, asset, ceiling, request }: FetchOrder,
  demand: Demand,
  policy: PolicyRules | undefined,
): Choice {
  const isHere = (place: string | null) => place === null || isSameHost(place, request.url)
  // In version 1 each offer names a place of its own.
  const offers = demand.offers.filter(({ requirements }) => isHere(requirements.resource ?? null))
  const isElsewhere = offers.length === 0 && demand.offers.length > 0
  if (isElsewhere || !isHere(demand.place)) {
    throw unpayable('resource_mismatch', 'The seller asks to be paid for another place.')
  }
  const allows = ({ payTo: recipient, amount }: Pick<Choice, 'payTo' | 'amount'>) => {
    const { network } = chain.config
    const spend = { network, asset: asset.asset, amount, recipient, resource: request.url }
    return policy === undefined || decide(policy, NOTHING_SPENT, spend) === undefined
  }
  const willing = { chain, payer: walletAddress, asset, ceiling, allows }
  const outcome = choose({ ...demand, offers }, willing)
  if (outcome.ok && isTooLong(demand, outcome.choice)) {
    const message =
      'What the seller wants to be told again with the payment is longer than a header.'
    throw unpayable('demand_too_long', message)
  }
  if (outcome.ok) return outcome.choice
  const { declined, wanted, why } = outcome
  if (wanted === null) {
    throw unpayable('no_payable_offer', why, declined)
  }
  throw new Refusal('POLICY_REFUSED', {
    message: 'The seller asks for more than maxAmount.',
    details: { rule: 'maxAmount', wanted, asset: asset.symbol, declined },
  })
}

/** Whether no header would hold what the seller wrote, which version 2 repeats, beside a payment: then nobody would ever read what was signed. */
function isTooLong({ x402Version, extensions, resource }: Demand, { offer }: Choice): boolean {
  if (x402Version === 1) return false
  const repeated = written([offer.written, extensions, resource])
  if (repeated === undefined) return true
  const characters = Math.ceil(Buffer.byteLength(repeated) / 3) * 4
  return characters > PAYMENT_HEADER_CHARACTERS_MAX - PAYMENT_CHARACTERS_MAX
}

/** What was read may be nested deeper than can be written: reading JSON takes no stack, writing it may. Then it is undefined. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Of the payment itself: a Solana transaction has 1,232 bytes at most. */
const PAYMENT_CHARACTERS_MAX = 4 * 1024

function unpayable(reason: string, message: string, declined?: unknown): Refusal {
  const details = declined === undefined ? { reason } : { reason, declined }
  return new Refusal('PAYMENT_VERIFICATION_FAILED', { message, details })
}

/** Sellers behind proxies misname their scheme and port, never their host. What is no address names no other place. */
function isSameHost(said: string, asked: string): boolean {
  const place = URL.parse(said)
  return place === null || place.hostname === '' || place.hostname === URL.parse(asked)?.hostname
}

function paymentIdOf(text: string): PaymentId {
  const id = parseId('pay', text)
  if (id === undefined) throw new Error('an idempotency key of a purchase names no payment')
  return id
}
