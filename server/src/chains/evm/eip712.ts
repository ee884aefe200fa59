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
  message.set(separator, PREFIX.length)
  message.set(structHash, PREFIX.length + WORD_BYTES)
  return keccak256(message)
}

/** Of the digest that is being made: it is hashed before anything else runs. */
const message = Buffer.concat([PREFIX, Buffer.alloc(2 * WORD_BYTES)])

export function uintWord(value: bigint): Uint8Array {
  return writeUint(Buffer.alloc(WORD_BYTES), 0, value)
}

export function addressWord(address: Address): Uint8Array {
  return writeAddress(Buffer.alloc(WORD_BYTES), 0, address)
}

/** Writes a number as a word of a struct, over whatever is there; gives the bytes. */
export function writeUint(bytes: Buffer, at: number, value: bigint): Buffer {
  const end = at + WORD_BYTES
  // Nearly all of them are: a third of what the way through text takes.
  if (value > SMALL_MAX) bytes.write(value.toString(16).padStart(WORD_BYTES * 2, '0'), at, 'hex')
  else {
    bytes.fill(0, at, end - SMALL_BYTES)
    bytes.writeUIntBE(Number(value), end - SMALL_BYTES, SMALL_BYTES)
  }
  return bytes
}

/** The same with an address. */
export function writeAddress(bytes: Buffer, at: number, address: Address): Buffer {
  bytes.fill(0, at, at + WORD_BYTES - ADDRESS_BYTES)
  bytes.write(address.slice(2), at + WORD_BYTES - ADDRESS_BYTES, 'hex')
  return bytes
}
