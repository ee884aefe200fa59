import { paymentIdentifierOf } from '@florin/wire/x402/payment-identifier.ts'
import { parsePaymentPayload } from '@florin/wire/x402/payment-payload.ts'
import type { PaymentPayload } from '@florin/wire/x402/payment-payload.ts'
import { parsePaymentRequirements } from '@florin/wire/x402/payment-requirements.ts'
import type { PaymentRequirements } from '@florin/wire/x402/payment-requirements.ts'
import { isPermit2 } from '@florin/wire/x402/permit2-payload.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Family, NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { isNobody } from '../chains/nobody.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type {
  ExactAuthorization,
  ExactDemand,
  ExactLack,
  ExactPayments,
  PaymentScheme,
} from '../chains/exact.ts'

/** The schemes that this facilitator settles: the whole of what was signed for, and as much of it as the seller says (EVM only). */
export const EXACT = 'exact'
export const UPTO = 'upto'

/**
 * What a payment is read for: to see what it is, whether it would settle, to settle it, to settle what somebody has claimed, or to end one
 * that comes to nothing, which is no payment. Only what asks the chain next leaves it the signature: a check, or the draft of what is new.
 */
export type Purpose = 'look' | 'verify' | 'settle' | 'settle claimed' | 'settle nothing'

const JUDGED_BY: Partial<Record<Purpose, ExactDemand['judgedBy']>> = {
  verify: 'check',
  settle: 'draft',
}

/** A payment as the seller's server hands it over, nothing believed yet. */
export interface Presented {
  /** Left out by some clients; then the payment's own counts. */
  readonly x402Version?: unknown
  readonly paymentPayload: unknown
  readonly paymentRequirements: unknown
  /** What the seller says that it is for; counts before what the payer repeats. */
  readonly resource?: string
}

/** A payment that reads well and is signed, or whose signature is judged with the rest: whether the chain takes it is the next question. */
export interface Intake {
  readonly chain: Chain
  readonly exact: ExactPayments
  readonly payment: PaymentPayload
  readonly requirements: PaymentRequirements
  readonly authorization: ExactAuthorization
  /** What is paid for: the seller's word, else the payer's, else nobody's. */
  readonly resource: string | null
}

/** A "no" in the words of x402. */
export interface Refused {
  readonly ok: false
  readonly reason: Reason
  readonly message?: string
  readonly lacks?: ExactLack
  readonly payer: string | null
  /** As the seller wrote it, or empty. */
  readonly networkName: string
}

export type IntakeOutcome = { readonly ok: true; readonly intake: Intake } | Refused

/**
 * Reads a presented payment against the seller's requirements, first what costs nothing. Nothing here asks a node, and nothing that a
 * caller can send throws. Source: x402 v1 and v2, verification of `exact` and `upto`.
 */
export function takeIn(
  presented: Presented,
  chains: ReadonlyMap<NetworkId, Chain>,
  settlersOf: (family: Family) => ReadonlySet<Address>,
  /** Who may pay the fee of a payment to an address; left out, our own settlers. */
  feePayersOf?: (payTo: Address) => ReadonlySet<Address>,
  purpose: Purpose = 'look',
): IntakeOutcome {
  const read = parsePaymentPayload(presented.paymentPayload)
  if (!read.ok) return refused(read.reason)
  const { payment } = read
  const { x402Version } = payment
  if (paymentIdentifierOf(payment.extensions) === undefined) return refused('invalid_payload')
  const wanted = termsOf(presented, payment)
  if (!wanted.ok) return wanted
  const { requirements } = wanted
  const { networkName } = requirements
  const no = (reason: Reason, payer: string | null = null) => refused(reason, networkName, payer)

  const scheme = schemeOf(requirements)
  if (scheme === undefined) return no('unsupported_scheme')
  const chain = chains.get(requirements.network)
  if (chain?.exact === undefined) return no('invalid_network')
  const { family } = chain.config
  if (scheme === UPTO && family !== 'evm') return no('unsupported_scheme')
  const words = wordsFor(scheme, payment, family)
  if (payment.scheme !== scheme) return no(words.scheme)
  if (payment.network !== requirements.network) return no(words.network)
  const payTo = chain.parseAddress(requirements.payTo)
  const isNothing = requirements.amount === 0n
  if (payTo === undefined || isNothing !== (purpose === 'settle nothing')) {
    return no('invalid_payment_requirements')
  }
  const asset = assetOf(requirements, chain)
  if (asset === undefined) return no('asset_not_listed')
  const settlers = settlersOf(family)
  if (settlers.has(payTo) || isNobody(chain, payTo)) return no(words.recipient)

  const { amount, extra } = requirements
  const feePayers = feePayersOf?.(payTo) ?? settlers
  const { extensions } = payment
  const isSettling = purpose !== 'look' && purpose !== 'verify'
  const judgedBy = JUDGED_BY[purpose]
  const beside = { scheme, x402Version, extensions, isSettling, judgedBy }
  const demand = { asset, payTo, amount, extra, settlers: feePayers, ...beside }
  const outcome = chain.exact.read(payment.payload, demand)
  if (!outcome.ok) return no(outcome.reason, outcome.payer)
  const { authorization } = outcome
  // Money that moves from a wallet to itself pays nobody.
  if (authorization.payer === payTo) return no(words.recipient, authorization.payer)
  const resource = presented.resource ?? requirements.resource ?? payment.resource
  const intake = { chain, exact: chain.exact, payment, requirements, authorization, resource }
  return { ok: true, intake }
}

/** What the seller asks for, in the words of the version that the payment is of. For every scheme. */
export function termsOf(
  presented: Presented,
  { x402Version }: Pick<PaymentPayload, 'x402Version'>,
): { readonly ok: true; readonly requirements: PaymentRequirements } | Refused {
  if (presented.x402Version !== undefined && presented.x402Version !== x402Version) {
    return refused('invalid_x402_version')
  }
  const wanted = parsePaymentRequirements(presented.paymentRequirements, x402Version)
  return wanted.ok ? wanted : refused(wanted.reason)
}

/** Which of the network's listed assets the seller asks for; undefined where it is none of them. */
export function assetOf(
  { asset }: Pick<PaymentRequirements, 'asset'>,
  { config, parseAddress }: Pick<Chain, 'config' | 'parseAddress'>,
): AssetProfile | undefined {
  const token = parseAddress(asset)
  return config.assets.find(({ asset: known }) => known === token)
}

/** Version 1 knows `exact` alone. */
function schemeOf({ scheme, x402Version }: PaymentRequirements): PaymentScheme | undefined {
  if (scheme === EXACT) return EXACT
  return scheme === UPTO && x402Version === 2 ? UPTO : undefined
}

function wordsFor(scheme: PaymentScheme, payment: PaymentPayload, family: Family): Words {
  if (family !== 'evm') return WORDS[family]
  if (scheme === UPTO) return isPermit2(payment.payload) ? WORDS.upto : WORDS.noUpto
  return payment.x402Version === 2 && isPermit2(payment.payload) ? WORDS.permit2 : WORDS.evm
}

type Words = Readonly<Record<'scheme' | 'network' | 'recipient', Reason>>

/** The reference names the same faults differently per family and way of paying. */
const WORDS = {
  evm: {
    scheme: 'invalid_exact_evm_scheme',
    network: 'invalid_exact_evm_network_mismatch',
    recipient: 'invalid_exact_evm_recipient_mismatch',
  },
  solana: {
    scheme: 'invalid_exact_svm_unsupported_scheme',
    network: 'invalid_exact_svm_network_mismatch',
    recipient: 'invalid_exact_svm_payload_recipient_mismatch',
  },
  permit2: {
    scheme: 'unsupported_payload_type',
    network: 'invalid_exact_evm_network_mismatch',
    recipient: 'invalid_permit2_recipient_mismatch',
  },
  upto: {
    scheme: 'invalid_upto_evm_scheme',
    network: 'invalid_upto_evm_network_mismatch',
    recipient: 'invalid_permit2_recipient_mismatch',
  },
  noUpto: {
    scheme: 'unsupported_payload_type',
    network: 'unsupported_payload_type',
    recipient: 'unsupported_payload_type',
  },
} as const satisfies Record<Family | 'permit2' | 'upto' | 'noUpto', Words>

export function refused(
  reason: Reason,
  networkName = '',
  payer: string | null = null,
  message?: string,
): Refused {
  return {
    ok: false,
    reason,
    payer,
    networkName,
    ...(message === undefined ? {} : { message }),
  }
}
