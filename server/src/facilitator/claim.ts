import { hash } from 'node:crypto'
import type { NetworkId } from '@florin/wire/network.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { ExactAuthorization, ProofKey } from '../chains/exact.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'

/** Who claimed a proof, for what, and what is needed to follow it to its end. One per proof, for ever. */
export interface Claim {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly network: NetworkId
  readonly proofKey: ProofKey
  /** SHA-256 of the terms it was claimed for, 32 bytes. */
  readonly termsDigest: Uint8Array
  /** In which version of x402 it was shown, so that the answer can be in the same; null for claims older than this fact. */
  readonly x402Version: X402Version | null
  /** The authorization as plain text. */
  readonly stored: Readonly<Record<string, string>>
  readonly validBeforeSeconds: bigint | null
  /** More signatures of the same payment that its payer's code was asked about. */
  readonly judged: readonly string[]
  /** Where to begin when looking for somebody else's settlement. */
  readonly sinceHeight: bigint
  /** The other facilitator that was asked last to settle it; null when only this service has been at it. */
  readonly facilitator: string | null
  /** Until when the newest build for the seller's own wallet is the account's alone; null when nothing was built for one. */
  readonly builtUntilMilliseconds: number | null
  /** After that another account may claim it, as long as the chain has not shown it and this service has not settled it. */
  readonly isSoft: boolean
  /** How often in a row it was looked at and nothing had become of it. */
  readonly looks: number
  /** When success was given out; null while nobody has it. */
  readonly answeredAtMilliseconds: number | null
}

/** What somebody wants to be paid, and for what. */
export interface ClaimTerms {
  readonly network: NetworkId
  readonly asset: string
  readonly payTo: string
  readonly amount: bigint
  readonly resource: string | null
}

/**
 * What a claim is made for. The same proof for other terms is another purchase and gets nothing. Source: cross-resource substitution,
 * arXiv 2605.30998.
 */
export function termsDigest({ network, asset, payTo, amount, resource }: ClaimTerms): Uint8Array {
  const terms = [network, asset, payTo, `${amount}`, resource]
  return hash('sha256', JSON.stringify(terms), 'buffer')
}

/** Whether it is the same account asking again for the same thing. */
export function isSameClaim(claim: Claim, accountId: AccountId, digest: Uint8Array): boolean {
  return claim.accountId === accountId && Buffer.from(claim.termsDigest).equals(digest)
}

/** What is said of a payment that is not shown by its payer's own signature. */
export function notShownReason({ permit2 }: Pick<ExactAuthorization, 'permit2'>): Reason {
  return permit2 === undefined ? 'invalid_exact_evm_signature' : 'invalid_permit2_signature'
}

/**
 * Whether who shows the payment shows that it is the payer's. A signature that only the payer's code can judge was judged once, before the
 * claim or with a build; afterwards that very one has to be shown, since the code may say anything by now, or nobody asks it any more.
 */
export function isShown(
  { stored, judged }: Pick<Claim, 'stored' | 'judged'>,
  authorization: Pick<ExactAuthorization, 'awaitsCode' | 'stored'>,
): boolean {
  if (authorization.awaitsCode !== true) return true
  const { signature } = authorization.stored
  return (
    stored['signature'] === signature || (signature !== undefined && judged.includes(signature))
  )
}
