import type { Address } from '../chain.ts'
import { addressFromBytes } from './account.ts'
import { encodeBase58 } from './base58.ts'

/** An instruction of a transaction in bytes, its accounts looked up. */
export interface WireInstruction {
  readonly program: Address
  readonly accounts: readonly Address[]
  readonly data: Uint8Array
}

/** A transaction in bytes, read completely. */
export interface WireTransaction {
  /** 64 bytes each, in the order of the signers; all zeros where one is missing. */
  readonly signatures: readonly Uint8Array[]
  /** What the signatures are over. */
  readonly message: Uint8Array
  /** Who has to sign; the first one pays the fee. */
  readonly signers: readonly Address[]
  /** All that it names, the signers first; those of lookup tables are not among them. */
  readonly accounts: readonly Address[]
  /** Those of them that it may change. */
  readonly writers: readonly Address[]
  readonly blockhash: string
  readonly instructions: readonly WireInstruction[]
  /** Accounts are hidden in lookup tables: nobody knows here which. */
  readonly usesLookupTables: boolean
}

const SIGNATURE_BYTES = 64
const WORD_BYTES = 32
const TRANSACTION_BYTES_MAX = 1_232
const VERSION_FLAG = 0x80

/**
 * Reads a transaction of version 0 or without one, or undefined when a byte is missing, left over or out of place. Source: docs.anza.xyz,
 * "Versioned Transactions".
 */
export function readWireTransaction(bytes: Uint8Array): WireTransaction | undefined {
  if (bytes.length > TRANSACTION_BYTES_MAX) return undefined
  try {
    return transactionFrom(bytes)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

class Malformed extends Error {
  override readonly name = 'Malformed'
}

function transactionFrom(bytes: Uint8Array): WireTransaction {
  const whole = readerOf(bytes)
  const signatures = Array.from({ length: whole.length() }, () => whole.take(SIGNATURE_BYTES))
  const message = bytes.subarray(whole.at())
  const reader = readerOf(message)
  const first = reader.byte()
  const isVersioned = (first & VERSION_FLAG) !== 0
  if (isVersioned && first !== VERSION_FLAG) throw new Malformed('another version')
  const signerCount = isVersioned ? reader.byte() : first
  const readonlySigners = reader.byte()
  const readonlyOthers = reader.byte()
  const accounts = Array.from({ length: reader.length() }, () =>
    addressFromBytes(reader.take(WORD_BYTES)),
  )
  if (signerCount === 0 || signerCount > accounts.length || signerCount !== signatures.length) {
    throw new Malformed('signers')
  }
  if (readonlySigners >= signerCount || readonlyOthers > accounts.length - signerCount) {
    throw new Malformed('read-only accounts')
  }
  if (new Set(accounts).size !== accounts.length) throw new Malformed('an account twice')
  const blockhash = encodeBase58(reader.take(WORD_BYTES))
  const raw = Array.from({ length: reader.length() }, () => ({
    program: reader.byte(),
    accounts: [...reader.take(reader.length())],
    data: reader.take(reader.length()),
  }))
  const tables = isVersioned ? reader.length() : 0
  for (let table = 0; table < tables; table += 1) {
    reader.take(WORD_BYTES)
    reader.take(reader.length())
    reader.take(reader.length())
  }
  const usesLookupTables = tables > 0
  if (reader.at() !== message.length) throw new Malformed('left over')
  const named = (index: number): Address => {
    const account = accounts[index]
    if (account === undefined) throw new Malformed('an account that is not there')
    return account
  }
  return {
    signatures,
    message,
    signers: accounts.slice(0, signerCount),
    accounts,
    writers: [
      ...accounts.slice(0, signerCount - readonlySigners),
      ...accounts.slice(signerCount, accounts.length - readonlyOthers),
    ],
    blockhash,
    usesLookupTables,
    // What the tables hold is not looked up, so neither are the instructions that name it.
    instructions: usesLookupTables
      ? []
      : raw.map(({ program, accounts: indexes, data }) => ({
          program: named(program),
          accounts: indexes.map(named),
          data,
        })),
  }
}

function readerOf(bytes: Uint8Array) {
  let at = 0
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new Malformed('too short')
    at += count
    return bytes.subarray(at - count, at)
  }
  const byte = (): number => take(1)[0] ?? 0
  return {
    at: () => at,
    take,
    byte,
    /** Seven bits per byte, low bits first, in its shortest form: Solana's compact-u16. */
    length: (): number => {
      let value = 0
      for (let place = 0; place < 3; place += 1) {
        const next = byte()
        value |= (next & 0x7f) << (7 * place)
        if ((next & 0x80) !== 0) continue
        if (next === 0 && place > 0) throw new Malformed('a length with a needless byte')
        if (value > TRANSACTION_BYTES_MAX) break
        return value
      }
      throw new Malformed('a length out of bounds')
    },
  }
}
