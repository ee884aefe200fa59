import { getAddressDecoder } from '@solana/kit'
import type { StoredAccount } from '../chain/account.ts'
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM } from '../chain/program-addresses.ts'
import type { RpcValue } from '../rpc-json.ts'

const ADDRESS_BYTES = 32
/** A lookup table: kind, two slots, an index, an optional authority, padding; then its addresses. */
const TABLE_HEAD_BYTES = 56
const TABLE_KIND = 1
/** A nonce account: version, state, authority, blockhash, lamports per signature. */
const NONCE_BYTES = 80
const NONCE_VERSION = 1
const NONCE_INITIALIZED = 1

/** Lookup tables and nonce accounts in words; undefined for every other account. */
export function parsedRuntimeAccount({ owner, data }: StoredAccount): RpcValue | undefined {
  const bytes = Buffer.from(data)
  if (owner === LOOKUP_TABLE_PROGRAM) return parsedTable(bytes)
  return owner === SYSTEM_PROGRAM ? parsedNonce(bytes) : undefined
}

function parsedTable(bytes: Buffer): RpcValue | undefined {
  if (bytes.length < TABLE_HEAD_BYTES || bytes.readUInt32LE(0) !== TABLE_KIND) return undefined
  const count = Math.floor((bytes.length - TABLE_HEAD_BYTES) / ADDRESS_BYTES)
  const info = {
    deactivationSlot: bytes.readBigUInt64LE(4).toString(),
    lastExtendedSlot: bytes.readBigUInt64LE(12).toString(),
    lastExtendedSlotStartIndex: bytes.readUInt8(20),
    // A frozen table has none.
    ...(bytes.readUInt8(21) === 0 ? {} : { authority: addressAt(bytes, 22) }),
    addresses: Array.from({ length: count }, (_, index) =>
      addressAt(bytes, TABLE_HEAD_BYTES + index * ADDRESS_BYTES),
    ),
  }
  return {
    program: 'address-lookup-table',
    parsed: { type: 'lookupTable', info },
    space: bytes.length,
  }
}

/** An uninitialized one may still become something else, so nodes do not name it either. */
function parsedNonce(bytes: Buffer): RpcValue | undefined {
  if (bytes.length !== NONCE_BYTES) return undefined
  if (bytes.readUInt32LE(0) !== NONCE_VERSION || bytes.readUInt32LE(4) !== NONCE_INITIALIZED) {
    return undefined
  }
  const info = {
    authority: addressAt(bytes, 8),
    blockhash: addressAt(bytes, 40),
    feeCalculator: { lamportsPerSignature: bytes.readBigUInt64LE(72).toString() },
  }
  return { program: 'nonce', parsed: { type: 'initialized', info }, space: bytes.length }
}

function addressAt(bytes: Buffer, offset: number): string {
  return getAddressDecoder().decode(bytes.subarray(offset, offset + ADDRESS_BYTES))
}
