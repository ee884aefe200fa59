import { createHash } from 'node:crypto'
import type { Address } from '../chain.ts'
import { addressBytes, addressFromBytes } from './account.ts'
import { isOnCurve } from './ed25519-point.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.ts'

const MARKER = Buffer.from('ProgramDerivedAddress', 'ascii')
const BUMP_MAX = 255

/** Bytes of a token account without extensions. */
export const TOKEN_ACCOUNT_BYTES = 165
const MINT_AT = 0
const OWNER_AT = 32
const AMOUNT_AT = 64
const STATE_AT = 108
const ADDRESS_BYTES = 32
const INITIALIZED = 1
const FROZEN = 2

export interface AssociatedAccount {
  readonly address: Address
  /** How many candidates the chain tries too when it creates the account; each takes compute units. */
  readonly tries: number
}

/**
 * The one token account of an owner for a mint that everybody can find: the first candidate that is no point of the curve.
 * Source: Associated Token Account program; seeds owner, token program, mint, bump.
 */
export function associatedAccount(
  owner: Address,
  tokenProgram: Address,
  mint: Address,
): AssociatedAccount {
  const seeds = [owner, tokenProgram, mint].map(addressBytes)
  const end = [addressBytes(ASSOCIATED_TOKEN_PROGRAM), MARKER]
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const hash = createHash('sha256')
    for (const part of [...seeds, Uint8Array.of(bump), ...end]) hash.update(part)
    const candidate = new Uint8Array(hash.digest())
    if (!isOnCurve(candidate)) {
      return { address: addressFromBytes(candidate), tries: BUMP_MAX - bump + 1 }
    }
  }
  throw new Error('no candidate is off the curve, which happens once in 2^256 times')
}

export interface TokenAccount {
  readonly mint: Address
  readonly owner: Address
  readonly amount: bigint
  readonly isFrozen: boolean
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
  }
}
