import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { systemClock } from '../clock.ts'
import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { isObject } from '../is-object.ts'
import { limits } from '../limits.ts'
import { requirementV1, requirementV2, resourceOf } from './demand.ts'
import type { Place } from './demand.ts'
import { bringsApproval, handedOver } from './extensions.ts'
import type { Taken } from './hand-over.ts'
import { signedReceipt } from './offer-receipt.ts'
import type { Presented } from './presented.ts'
import { isNothing } from './price.ts'
import type { Paid } from './price.ts'
import { isSame } from './requirement.ts'
import type { Requirement } from './requirement.ts'
import { tellProblem } from './tell-problem.ts'

/** What became of a payment that a buyer showed. */
export type Charged =
  /** The money is there and the service has given out its one success. */
  | { readonly kind: 'paid'; readonly paid: Paid; readonly response: object }
  /**
   * Its success was given out before, at `firstAnsweredAt` (Unix milliseconds) where the service says it. `paid` when the payment is the seller's own.
   * `wasLost`: perhaps to us.
   */
  | {
      readonly kind: 'repeated'
      readonly paid: Paid | null
      readonly response: object
      readonly firstAnsweredAt: number | null
      readonly wasLost: boolean
    }
  /** Not paid, for a reason that lies with the buyer. */
  | { readonly kind: 'refused'; readonly reason: string; readonly response: object | undefined }
  /** Not known yet. Asking again with the same proof is safe. */
  | { readonly kind: 'pending'; readonly wasLost: boolean }
  /** The seller's side cannot settle now; why is not for the buyer. Asking again with the same proof is safe. */
  | {
      readonly kind: 'unavailable'
      readonly code: string
      readonly cause?: unknown
      readonly wasLost: boolean
    }

/**
 * The requirement that a payment was made for; undefined when it is none of ours. Version 1 names scheme and network
 * alone, which is why only the first of a network is offered in it.
 */
export function requirementFor(
  { x402Version, payload }: Presented,
  requirements: readonly Requirement[],
): Requirement | undefined {
  if (x402Version === 1) {
    const { scheme, network } = payload
    // What has no name in version 1 is not offered in it, and is not what a payment without one is for.
    if (network === undefined) return undefined
    return requirements.find(
      (each) => each.scheme === 'exact' && scheme === 'exact' && each.alias === network,
    )
  }
  const { accepted } = payload
  if (!isObject(accepted)) return undefined
  return requirements.find(
    ({ scheme, network, amount, asset, payTo }) =>
      accepted['scheme'] === scheme &&
      accepted['network'] === network &&
      accepted['amount'] === amount &&
      isSameText(accepted['asset'], asset) &&
      isSameText(accepted['payTo'], payTo),
  )
}

/** Whatever else a buyer writes is no address, and may not be one that can be read. */
function isSameText(shown: unknown, own: string): boolean {
  return typeof shown === 'string' && isSame(shown, own)
}

/** The payment that was taken, when it is the seller's own. `wasLost`: of an earlier settlement for the same answer. */
export function takenBy(
  charged: Charged & { kind: 'paid' | 'repeated' },
  wasLost: boolean,
): Taken | undefined {
  const { paid, response } = charged
  if (paid === null) return undefined
  if (charged.kind === 'paid') return { paid, response, taken: 'now' }
  return { paid, response, taken: charged.wasLost || wasLost ? 'perhaps' : 'before' }
}

/** Whether a success may be the one of an answer that was found lost then: what was given out long before was not lost there, whoever shows it again. */
export function mayBeLost(charged: Charged, lostAt: number): boolean {
  if (charged.kind !== 'repeated' || charged.firstAnsweredAt === null) return true
  return charged.firstAnsweredAt >= lostAt - limits.paywallLostMilliseconds
}

/** How long a buyer waits for the settlement of what it shows before it is told to ask again. Milliseconds. */
export function waitOf({ payload }: Presented): number {
  return bringsApproval(payload)
    ? limits.paywallApprovalMilliseconds
    : limits.paywallSettleMilliseconds
}

/** Settles through the service, by the seller's own terms and nothing that the buyer wrote. Never throws. */
export async function charge(
  florin: Pick<Florin, 'x402'>,
  presented: Presented,
  requirement: Requirement,
  place: Place,
): Promise<Charged> {
  let wasLost = false
  try {
    const settlement = questionOf(presented, requirement, place)
    const answer = await florin.x402.settle(settlement, { onLost: () => (wasLost = true) })
    const judged = judge(answer, requirement, place.resource)
    const { clock = systemClock } = place.settings
    const charged = { ...judged, wasLost: wasLost && mayBeLost(judged, clock.now()) }
    return await withReceipt(charged, presented, requirement, place)
  } catch (error) {
    // Whatever the service refuses the seller, or cannot be asked, is not the buyer's doing.
    const code = error instanceof FlorinError ? error.code : 'unexpected_settle_error'
    wasLost ||= !(error instanceof FlorinError) || error.outcomeUnknown
    return { kind: 'unavailable', code, cause: error, wasLost }
  }
}

/** Puts a signed receipt beside what a buyer of version 2 is told. What was paid is paid, with a receipt or without. */
async function withReceipt(
  charged: Charged,
  { x402Version }: Presented,
  { network }: Requirement,
  { settings }: Place,
): Promise<Charged> {
  const { receipts } = settings
  if (receipts === undefined || x402Version === 1) return charged
  if (charged.kind !== 'paid' && charged.kind !== 'repeated') return charged
  const payer = charged.paid?.payer ?? null
  if (charged.paid === null || payer === null || isNothing(charged.paid)) return charged
  try {
    const extensions = await signedReceipt(receipts, charged.paid, { payer, network }, settings)
    return { ...charged, response: { ...charged.response, extensions } }
  } catch (error) {
    void tellProblem(settings, 'not_signed', error)
    return charged
  }
}

/** Whether a payment would settle now, which moves nothing; null when it would. Never throws. */
export async function look(
  florin: Pick<Florin, 'x402'>,
  presented: Presented,
  requirement: Requirement,
  place: Place,
): Promise<Exclude<Charged, { kind: 'paid' }> | null> {
  try {
    const signal = AbortSignal.timeout(limits.paywallAskMilliseconds)
    const question = questionOf(presented, requirement, place)
    const answer = await florin.x402.verify(question, { signal })
    if (answer.isValid) return null
    const { invalidReason = 'unexpected', payer } = answer
    const { network } = requirement
    const payerFields = payer === undefined ? {} : { payer }
    const told = { success: false, transaction: '', network, ...payerFields }
    return judgeRefusal({ ...told, errorReason: invalidReason }, requirement, place.resource)
  } catch (error) {
    const code = error instanceof FlorinError ? error.code : 'unexpected_verify_error'
    return { kind: 'unavailable', code, cause: error, wasLost: false }
  }
}

function questionOf({ x402Version, payload }: Presented, requirement: Requirement, place: Place) {
  const paymentRequirements =
    x402Version === 1 ? requirementV1(requirement, place) : requirementV2(requirement, place)
  // Version 2 carries what is sold in the payment, where the buyer writes it: ours counts.
  const said = { resource: resourceOf(place), extensions: handedOver(payload, place) }
  const paymentPayload = x402Version === 1 ? payload : { ...payload, ...said }
  return { x402Version, paymentPayload, paymentRequirements }
}

/** Reasons with these beginnings speak of what the buyer signed or owns. Every other one is not held against it. */
const BUYERS =
  /^(invalid_|unsupported_|permit2_|eip2612_|eip6492_|erc20_|upto_|insufficient_|smart_wallet_|network_mismatch|fee_payer_|transaction_)/
const SELLERS = ['invalid_payment_requirements', 'invalid_network', 'permit2_proxy_not_deployed']
const REPEATS = [
  'duplicate_settlement',
  'invalid_exact_evm_nonce_already_used',
  'permit2_invalid_nonce',
  'payment_identifier_conflict',
]

function judge(answer: X402SettleAnswer, requirement: Requirement, resource: string): Charged {
  if (!answer.success) return judgeRefusal(answer, requirement, resource)
  const paid = paidOf(answer, requirement, resource)
  return { kind: 'paid', paid, response: responseOf(answer, paid) }
}

function judgeRefusal(
  answer: X402SettleAnswer,
  requirement: Requirement,
  resource: string,
): Exclude<Charged, { kind: 'paid' }> {
  const { transaction, network, payer, errorReason: reason = 'unexpected' } = answer
  if (REPEATS.includes(reason)) {
    const paid = paidOf(answer, requirement, resource)
    const isOwn = paid.paymentId !== null
    const own = isOwn ? paid : null
    const at = answer.extra?.['firstAnsweredAt']
    const firstAnsweredAt = typeof at === 'number' ? at : null
    const response = responseOf(answer, paid)
    return { kind: 'repeated', paid: own, response, firstAnsweredAt, wasLost: false }
  }
  if (reason === 'settlement_pending' || reason === 'approval_pending') {
    return { kind: 'pending', wasLost: false }
  }
  if (!BUYERS.test(reason) || SELLERS.includes(reason)) {
    return { kind: 'unavailable', code: reason, wasLost: false }
  }
  const payerFields = payer === undefined ? {} : { payer }
  const response = { success: false, errorReason: reason, transaction, network, ...payerFields }
  return { kind: 'refused', reason, response }
}

/** What a buyer is told of a payment that was made. */
function responseOf({ transaction, network, payer }: X402SettleAnswer, { amount }: Paid): object {
  const payerFields = payer === undefined ? {} : { payer }
  return { success: true, transaction, network, ...payerFields, amount }
}

function paidOf(
  { transaction, network, payer, extra = {}, amount }: X402SettleAnswer,
  requirement: Requirement,
  resource: string,
): Paid {
  const { paymentId } = extra
  return {
    paymentId: typeof paymentId === 'string' ? paymentId : null,
    transaction,
    network,
    payer: payer ?? null,
    amount: amount ?? requirement.amount,
    resource,
  }
}
