import type { SignedTransaction, TransactionHash } from '../chain.ts'
import type { Signer } from '../signer.ts'
import { addressBytes } from './account.ts'
import { hexBytes } from './hex.ts'
import { keccak256 } from './keccak.ts'
import { encodeRlp, integerBytes } from './rlp.ts'
import type { RlpItem } from './rlp.ts'
import { recoverAddress } from './secp256k1.ts'
import type { EvmTerms } from './terms.ts'

/** EIP-2718 type of an EIP-1559 transaction. */
const TYPE = Uint8Array.of(2)
const WORD_BYTES = 32
const PARITY_AT = 64

/** The bytes that an EIP-1559 transaction's signature is over, before hashing. */
export function unsignedBytes(terms: EvmTerms, nonce: bigint): Uint8Array {
  return Buffer.concat([TYPE, encodeRlp(fieldsOf(terms, nonce))])
}

/**
 * Signs terms at a nonce. The signature is checked to be the sender's before anything is built on it: a wrong one
 * would make bytes of another sender, which never take the place that was reserved for them.
 */
export async function signTerms(
  terms: EvmTerms,
  nonce: bigint,
  signer: Signer,
): Promise<SignedTransaction> {
  const digest = keccak256(unsignedBytes(terms, nonce))
  const signature = await signer.sign(digest)
  if (recoverAddress(digest, signature) !== terms.sender) {
    throw new Error('the signer did not sign for the sender')
  }
  const parity = signature[PARITY_AT] ?? 0
  const raw = Buffer.concat([
    TYPE,
    encodeRlp([
      ...fieldsOf(terms, nonce),
      integerBytes(BigInt(parity)),
      integerOf(signature.subarray(0, WORD_BYTES)),
      integerOf(signature.subarray(WORD_BYTES, PARITY_AT)),
    ]),
  ])
  return { raw: new Uint8Array(raw), hash: hashOf(raw) }
}

/** The id of a transaction: the hash of its signed bytes. */
export function hashOf(raw: Uint8Array): TransactionHash {
  return hexBytes(keccak256(raw)) as TransactionHash
}

/** The fields in the order of EIP-1559; the access list is always empty. */
function fieldsOf({ chainId, call, gas, fees }: EvmTerms, nonce: bigint): readonly RlpItem[] {
  return [
    integerBytes(chainId),
    integerBytes(nonce),
    integerBytes(fees.maxPriorityFeePerGas),
    integerBytes(fees.maxFeePerGas),
    integerBytes(gas),
    addressBytes(call.to),
    integerBytes(call.value),
    call.data,
    [],
  ]
}

function integerOf(bytes: Uint8Array): Uint8Array {
  return integerBytes(BigInt(hexBytes(bytes)))
}
