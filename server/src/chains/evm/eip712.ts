import type { Address } from '../chain.ts'
import { keccak256 } from './keccak.ts'

const WORD_BYTES = 32
const ADDRESS_BYTES = 20
/** What a number holds exactly, in whole bytes. */
const SMALL_BYTES = 6
const SMALL_MAX = 2n ** BigInt(8 * SMALL_BYTES) - 1n
const PREFIX = Uint8Array.of(0x19, 0x01)
const DOMAIN_TYPE = typeHash(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)

/** An EIP-712 domain with all four of its usual fields. */
export interface Domain {
  readonly name: string
  readonly version: string
  readonly chainId: bigint
  readonly verifyingContract: Address
}

/** The hash of a struct type's text. Source: EIP-712, encodeType. */
export function typeHash(type: string): Uint8Array {
  return keccak256(Buffer.from(type, 'utf8'))
}

/** The domain separator: one hash per token, so it pays to keep it. */
export function domainSeparator({ name, version, chainId, verifyingContract }: Domain): Uint8Array {
  return keccak256(
    Buffer.concat([
      DOMAIN_TYPE,
      keccak256(Buffer.from(name, 'utf8')),
      keccak256(Buffer.from(version, 'utf8')),
      uintWord(chainId),
      addressWord(verifyingContract),
    ]),
  )
}

/** What a wallet signs: prefix, domain separator and struct hash, hashed. */
export function typedDataDigest(separator: Uint8Array, structHash: Uint8Array): Uint8Array {
  return keccak256(Buffer.concat([PREFIX, separator, structHash]))
}

export function uintWord(value: bigint): Uint8Array {
  const word = Buffer.alloc(WORD_BYTES)
  // Nearly all of them are: a third of what the way through text takes.
  if (value <= SMALL_MAX) word.writeUIntBE(Number(value), WORD_BYTES - SMALL_BYTES, SMALL_BYTES)
  else word.write(value.toString(16).padStart(WORD_BYTES * 2, '0'), 'hex')
  return word
}

export function addressWord(address: Address): Uint8Array {
  const word = Buffer.alloc(WORD_BYTES)
  word.write(address.slice(2), WORD_BYTES - ADDRESS_BYTES, 'hex')
  return word
}
