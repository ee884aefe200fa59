import { createHash } from 'node:crypto'
import type { NetworkId } from '@florin/wire/network.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Intake } from './intake.ts'

/** Who claimed a proof, for what, and what is needed to follow it to its end. One per proof, for ever. */
export interface Claim {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly network: NetworkId
  readonly proofKey: ProofKey
  /** SHA-256 of the terms it was claimed for, 32 bytes. */
  readonly termsDigest: Uint8Array
  /** The authorization as plain text. */
  readonly stored: Readonly<Record<string, string>>
  readonly validBeforeSeconds: bigint | null
  /** Where to begin when looking for somebody else's settlement. */
  readonly sinceHeight: bigint
  /** When success was given out; null while nobody has it. */
  readonly answeredAtMilliseconds: number | null
}

/**
 * What a claim is made for. The same proof for other terms is another purchase and gets nothing. Source: cross-resource substitution,
 * arXiv 2605.30998.
 */
export function termsDigest({ requirements, payment, authorization }: Intake): Uint8Array {
  const { network, resource } = requirements
  const { asset, payTo, amount } = authorization
  const terms = [network, asset.asset, payTo, `${amount}`, resource ?? payment.resource]
  return createHash('sha256').update(JSON.stringify(terms)).digest()
}

/** Whether it is the same account asking again for the same thing. */
export function isSameClaim(claim: Claim, accountId: AccountId, digest: Uint8Array): boolean {
  return claim.accountId === accountId && Buffer.from(claim.termsDigest).equals(digest)
}
