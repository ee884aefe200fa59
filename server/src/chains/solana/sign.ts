import type { SignedTransaction, TransactionHash } from '../chain.ts'
import type { Signer } from '../signer.ts'
import { encodeBase58 } from './base58.ts'
import { isSignedBy } from './ed25519.ts'
import { compactLength, compileMessage } from './message.ts'
import type { SolanaTerms } from './terms.ts'
import { transferInstructions } from './transfer.ts'

const SIGNATURE_BYTES = 64
/** Stands where one is missing. */
export const NO_SIGNATURE = new Uint8Array(SIGNATURE_BYTES)
/** What one network packet leaves for a transaction. */
const TRANSACTION_BYTES_MAX = 1_232

/** The bytes that a transaction's signature is over. */
export function unsignedBytes({ transfer, budget, blockhash }: SolanaTerms): Uint8Array {
  return compileMessage(transfer.sender, transferInstructions(transfer, budget), blockhash)
}

/**
 * Signs terms. The signature is checked to be the sender's before anything is built on it: nodes take bytes with a wrong
 * one and drop them later without a word.
 */
export async function signTerms(terms: SolanaTerms, signer: Signer): Promise<SignedTransaction> {
  const message = unsignedBytes(terms)
  const signature = await signer.sign(message)
  if (!isSignedBy(terms.transfer.sender, message, signature)) {
    throw new Error('the signer did not sign for the sender')
  }
  const raw = withSignature(signature, message)
  return { raw, hash: hashOf(raw) }
}

/** A transaction as nodes take it: its one signature and the message. */
export function withSignature(signature: Uint8Array, message: Uint8Array): Uint8Array {
  if (signature.length !== SIGNATURE_BYTES) throw new RangeError('a signature has 64 bytes')
  const raw = new Uint8Array(Buffer.concat([compactLength(1), signature, message]))
  if (raw.length > TRANSACTION_BYTES_MAX) throw new RangeError('a transaction fits one packet')
  return raw
}

/** The id of a transaction: its first signature. */
export function hashOf(raw: Uint8Array): TransactionHash {
  const start = compactLength(1).length
  return encodeBase58(raw.subarray(start, start + SIGNATURE_BYTES)) as TransactionHash
}
