import type { Address, SignedTransaction, Terms } from '../chain.ts'
import type { Signer } from '../signer.ts'
import { parseAddress } from './account.ts'
import { isSignedBy } from './ed25519.ts'
import { wireOf } from './exact-read.ts'
import { hashOf } from './sign.ts'
import { readWireTransaction } from './wire-transaction.ts'

const KIND = 'payment'
const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/

/** A payer's own transaction that waits for the fee payer's signature: nobody but the payer can make it anew. */
export interface PaymentTerms {
  readonly network: string
  readonly feePayer: Address
  /** Base64, with the fee payer's signature left open. */
  readonly transaction: string
  /** No block above this height takes its blockhash; it may end earlier. */
  readonly lastValidBlockHeight: bigint
}

export function writePaymentTerms(terms: PaymentTerms): Terms {
  const { network, feePayer, transaction, lastValidBlockHeight } = terms
  const fields = {
    kind: KIND,
    network,
    feePayer,
    transaction,
    lastValidBlockHeight: `${lastValidBlockHeight}`,
  }
  return fields as Readonly<Record<string, string>> as Terms
}

/** Whether stored terms are a payer's transaction and not a transfer of ours. */
export function arePaymentTerms(terms: Terms): boolean {
  return terms['kind'] === KIND
}

/** Reads stored terms back. Throws when they are not what `writePaymentTerms` wrote. */
export function readPaymentTerms(terms: Terms, network: string): PaymentTerms {
  if (terms['network'] !== network) throw new Error('terms of another network')
  const feePayer = parseAddress(terms['feePayer'] ?? '')
  const height = terms['lastValidBlockHeight'] ?? ''
  const { transaction } = terms
  if (feePayer === undefined || transaction === undefined || !DECIMAL.test(height)) {
    throw new Error('stored terms of a payment are broken')
  }
  return { network, feePayer, transaction, lastValidBlockHeight: BigInt(height) }
}

/** The hash of the block after which its payer made it; base58. Undefined where it cannot be read. */
export function madeAfter({ transaction }: PaymentTerms): string | undefined {
  return readWireTransaction(Buffer.from(transaction, 'base64'))?.blockhash
}

/** Adds the fee payer's signature, which is also the transaction's id. */
export async function signPayment(
  { feePayer, transaction }: PaymentTerms,
  signer: Signer,
): Promise<SignedTransaction> {
  const read = readWireTransaction(Buffer.from(transaction, 'base64'))
  if (read === undefined || read.signers[0] !== feePayer) {
    throw new Error('stored terms of a payment are broken')
  }
  const signature = await signer.sign(read.message)
  if (!isSignedBy(feePayer, read.message, signature)) {
    throw new Error('the signer did not sign for the fee payer')
  }
  const raw = new Uint8Array(wireOf(read, signature))
  return { raw, hash: hashOf(raw) }
}
