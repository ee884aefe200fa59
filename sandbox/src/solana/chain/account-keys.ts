import { getAddressDecoder } from '@solana/kit'
import type { StoredAccount } from './account.ts'
import { LOOKUP_TABLE_PROGRAM } from './program-addresses.ts'
import type { TransactionError } from './transaction-error.ts'
import type { Message } from './compiled-message.ts'

/** Bytes of a lookup table before its addresses. */
const TABLE_HEAD_BYTES = 56
const ADDRESS_BYTES = 32

export interface LoadedAddresses {
  readonly writable: readonly string[]
  readonly readonly: readonly string[]
}

/** Every account that a message names, in the order that its instructions count in. */
export interface AccountKeys {
  readonly keys: readonly string[]
  readonly writable: readonly string[]
  readonly loaded: LoadedAddresses
}

/** Roles by place: writable signers, read-only signers, writable others, read-only others. */
export function isStaticKeyWritable({ header, staticAccounts }: Message, index: number): boolean {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header
  return index < numSignerAccounts
    ? index < numSignerAccounts - numReadonlySignerAccounts
    : index < staticAccounts.length - numReadonlyNonSignerAccounts
}

/** Looks up what the message takes from lookup tables. */
export function resolveKeys(
  message: Message,
  read: (address: string) => StoredAccount | undefined,
): AccountKeys | { readonly error: TransactionError } {
  const writable: string[] = []
  const readonly: string[] = []
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : []
  for (const { lookupTableAddress, writableIndexes, readonlyIndexes } of lookups) {
    const table = read(lookupTableAddress)
    if (table === undefined) return { error: 'AddressLookupTableNotFound' }
    if (table.owner !== LOOKUP_TABLE_PROGRAM) return { error: 'InvalidAddressLookupTableOwner' }
    if (table.data.length < TABLE_HEAD_BYTES) return { error: 'InvalidAddressLookupTableData' }
    for (const [indexes, into] of [
      [writableIndexes, writable],
      [readonlyIndexes, readonly],
    ] as const) {
      for (const index of indexes) {
        const start = TABLE_HEAD_BYTES + index * ADDRESS_BYTES
        const bytes = table.data.subarray(start, start + ADDRESS_BYTES)
        if (bytes.length < ADDRESS_BYTES) return { error: 'InvalidAddressLookupTableIndex' }
        into.push(getAddressDecoder().decode(bytes))
      }
    }
  }
  const { staticAccounts } = message
  return {
    keys: [...staticAccounts, ...writable, ...readonly],
    writable: [
      ...staticAccounts.filter((_, index) => isStaticKeyWritable(message, index)),
      ...writable,
    ],
    loaded: { writable, readonly },
  }
}
