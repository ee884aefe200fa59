import type { BaseUnits } from '../amount.ts'
import { fieldsOf, unitsOf } from './fields.ts'
import type { Fields } from './fields.ts'

/** The payload of `exact` on EVM: an EIP-3009 authorization and its signature. */
export interface Eip3009Payload<Spelled extends string> {
  readonly from: Spelled
  readonly to: Spelled
  readonly value: BaseUnits
  /** Unix seconds; the token takes it strictly after. */
  readonly validAfterSeconds: bigint
  /** Unix seconds; the token takes it strictly before. */
  readonly validBeforeSeconds: bigint
  /** 0x and 64 hex digits, lower case. */
  readonly nonce: string
  /** 0x and hex digits, lower case; 65 bytes for a plain key. */
  readonly signature: string
}

const NONCE = /^0x[0-9a-fA-F]{64}$/
const SIGNATURE_CHARACTERS_MAX = 2 + 2 * 4_096
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/

/** Reads it, else undefined. `spelling` gives an address in its one spelling, and undefined for what is none. */
export function parseEip3009Payload<Spelled extends string>(
  payload: Fields,
  spelling: (text: string) => Spelled | undefined,
): Eip3009Payload<Spelled> | undefined {
  const addressOf = (value: unknown) => (typeof value === 'string' ? spelling(value) : undefined)
  const authorization = fieldsOf(payload['authorization'])
  if (authorization === undefined) return undefined
  const from = addressOf(authorization['from'])
  const to = addressOf(authorization['to'])
  const value = unitsOf(authorization['value'])
  const validAfterSeconds = unitsOf(authorization['validAfter'])
  const validBeforeSeconds = unitsOf(authorization['validBefore'])
  const { nonce } = authorization
  const { signature } = payload
  if (from === undefined || to === undefined || value === undefined) return undefined
  if (validAfterSeconds === undefined || validBeforeSeconds === undefined) return undefined
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) return undefined
  if (typeof signature !== 'string' || signature.length > SIGNATURE_CHARACTERS_MAX) return undefined
  if (!SIGNATURE.test(signature)) return undefined
  return {
    from,
    to,
    value,
    validAfterSeconds,
    validBeforeSeconds,
    nonce: nonce.toLowerCase(),
    signature: signature.toLowerCase(),
  }
}
