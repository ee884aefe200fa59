import type { Address } from '../chain.ts'
import { addressBytes } from './account.ts'
import { decodeBase58 } from './base58.ts'

/** One account that an instruction names. Only the fee payer signs, so nothing else has to be said of signatures. */
export interface AccountMeta {
  readonly address: Address
  readonly isWritable: boolean
}

export interface Instruction {
  readonly program: Address
  readonly accounts: readonly AccountMeta[]
  readonly data: Uint8Array
}

/** First byte of a message of version 0. */
const VERSION_0 = 0x80
const BLOCKHASH_BYTES = 32
const ACCOUNTS_MAX = 255

/**
 * The bytes that the fee payer signs: a message of version 0 with one signature and no lookup tables. Accounts stand in the order
 * in which the instructions first name them, writable ones first, so the same instructions always give the same bytes.
 * Source: docs.anza.xyz, "Versioned Transactions"; Solana's "Transactions" reference for the order of accounts.
 */
export function compileMessage(
  feePayer: Address,
  instructions: readonly Instruction[],
  blockhash: string,
): Uint8Array {
  const { addresses, readonlyCount } = accountsOf(feePayer, instructions)
  const indexOf = new Map(addresses.map((address, index) => [address, index]))
  const place = (address: Address): number => indexOf.get(address) ?? NaN
  const recent = decodeBase58(blockhash, BLOCKHASH_BYTES)
  if (recent === undefined) throw new RangeError('a blockhash is 32 bytes in base58')
  const parts: Uint8Array[] = [
    Uint8Array.of(VERSION_0, 1, 0, readonlyCount),
    compactLength(addresses.length),
    ...addresses.map(addressBytes),
    recent,
    compactLength(instructions.length),
  ]
  for (const { program, accounts, data } of instructions) {
    parts.push(
      Uint8Array.of(place(program)),
      compactLength(accounts.length),
      Uint8Array.from(accounts, ({ address }) => place(address)),
      compactLength(data.length),
      data,
    )
  }
  parts.push(compactLength(0))
  return new Uint8Array(Buffer.concat(parts))
}

function accountsOf(
  feePayer: Address,
  instructions: readonly Instruction[],
): { addresses: readonly Address[]; readonlyCount: number } {
  const isWritable = new Map<Address, boolean>([[feePayer, true]])
  for (const { program, accounts } of instructions) {
    for (const account of accounts) {
      const { address } = account
      isWritable.set(address, isWritable.get(address) === true || account.isWritable)
    }
    if (!isWritable.has(program)) isWritable.set(program, false)
  }
  const addresses = [...isWritable.keys()]
  if (addresses.length > ACCOUNTS_MAX) throw new RangeError('too many accounts')
  const writable = addresses.filter((address) => isWritable.get(address) === true)
  const readonly = addresses.filter((address) => isWritable.get(address) === false)
  return { addresses: [...writable, ...readonly], readonlyCount: readonly.length }
}

/** A length in seven bits per byte, low bits first: Solana's compact-u16. */
export function compactLength(length: number): Uint8Array {
  const bytes: number[] = []
  let rest = length
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>= 7
  }
  return Uint8Array.of(...bytes, rest)
}
