import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { proofKey } from '../chains/exact.ts'
import type { ProofKey } from '../chains/exact.ts'
import { parseId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { closeClaim } from './claim-looks-store.ts'
import { insertClaim } from './claim-store.ts'

const SCHEME = 'transfer'

/** A transfer that was sent from here, shown by whoever was paid. */
export interface TransferClaim {
  /** Of the receiver's record. */
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly network: NetworkId
  readonly commitment: Uint8Array
  readonly termsDigest: Uint8Array
  readonly x402Version: X402Version
  readonly sentId: PaymentId
  /** Somebody else follows the record to its end. */
  readonly isFollowed: boolean
}

/** The proof key of a transfer: what the chain shows of it. */
export function transferKey(commitment: Uint8Array): ProofKey {
  return proofKey(`${SCHEME}:${Buffer.from(commitment).toString('hex')}`)
}

/** Claims a transfer once, for ever, as every other proof is claimed. False when somebody has it. */
export async function claimTransfer(
  tx: Tx,
  { commitment, sentId, isFollowed, ...claim }: TransferClaim,
  nowMilliseconds: number,
): Promise<boolean> {
  const whole = {
    ...claim,
    proofKey: transferKey(commitment),
    stored: { scheme: SCHEME, sent: sentId },
    validBeforeSeconds: null,
    sinceHeight: 0n,
  }
  if (!(await insertClaim(tx, whole, nowMilliseconds))) return false
  if (isFollowed) await closeClaim(tx, claim.paymentId, nowMilliseconds)
  return true
}

/** The payment whose other side a claim is; undefined for claims of other schemes. */
export function sentOf({ stored }: Pick<Claim, 'stored'>): PaymentId | undefined {
  return stored['scheme'] === SCHEME ? parseId('pay', stored['sent'] ?? '') : undefined
}
