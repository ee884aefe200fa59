import { createHash } from 'node:crypto'
import type { Address } from '../chain.ts'
import { addressBytes, addressFromBytes } from './account.ts'
import { isOnCurve } from './ed25519-point.ts'

const MARKER = Buffer.from('ProgramDerivedAddress', 'ascii')
const BUMP_MAX = 255

export interface DerivedAddress {
  readonly address: Address
  /** How many candidates the chain tries too when it looks for it; each takes compute units. */
  readonly tries: number
}

/**
 * The account of a program that everybody can find by its seeds: the first candidate that is no point of the curve. Source: Solana's reference,
 * "Program-derived addresses".
 */
export function derivedAddress(program: Address, seeds: readonly Uint8Array[]): DerivedAddress {
  const end = [addressBytes(program), MARKER]
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
