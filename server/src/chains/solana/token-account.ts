import type { Address } from '../chain.ts'
import { addressBytes, addressFromBytes } from './account.ts'
import { derivedAddress } from './program-address.ts'
import type { DerivedAddress } from './program-address.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.ts'

/** Bytes of a token account without extensions. */
export const TOKEN_ACCOUNT_BYTES = 165
const MINT_AT = 0
const OWNER_AT = 32
const AMOUNT_AT = 64
const STATE_AT = 108
/** Whether there is one, and who: an option of a key. */
const DELEGATE_AT = 72
const DELEGATE_KEY_AT = 76
const ADDRESS_BYTES = 32
const INITIALIZED = 1
const FROZEN = 2

export type AssociatedAccount = DerivedAddress

/** The one token account of an owner for a mint that everybody can find. Source: Associated Token Account program. */
export function associatedAccount(
  owner: Address,
  tokenProgram: Address,
  mint: Address,
): AssociatedAccount {
  return derivedAddress(ASSOCIATED_TOKEN_PROGRAM, [owner, tokenProgram, mint].map(addressBytes))
}

export interface TokenAccount {
  readonly mint: Address
  readonly owner: Address
  readonly amount: bigint
  readonly isFrozen: boolean
  /** Who else may move a part of it. The owner itself, named here, may not move more than that part. */
  readonly delegate: Address | undefined
}

/** Reads the first 165 bytes of an account that a token program owns; undefined when it is no token account in use. */
export function readTokenAccount(data: Uint8Array): TokenAccount | undefined {
  const state = data[STATE_AT]
  if (data.length < TOKEN_ACCOUNT_BYTES || (state !== INITIALIZED && state !== FROZEN)) {
    return undefined
  }
  return {
    mint: addressFromBytes(data.subarray(MINT_AT, MINT_AT + ADDRESS_BYTES)),
    owner: addressFromBytes(data.subarray(OWNER_AT, OWNER_AT + ADDRESS_BYTES)),
    amount: Buffer.from(data).readBigUInt64LE(AMOUNT_AT),
    isFrozen: state === FROZEN,
    delegate:
      data[DELEGATE_AT] === 1
        ? addressFromBytes(data.subarray(DELEGATE_KEY_AT, DELEGATE_KEY_AT + ADDRESS_BYTES))
        : undefined,
  }
}
