import type { BaseUnits } from '../amount.ts'
import { fieldsOf, unitsOf } from './fields.ts'
import type { Fields } from './fields.ts'

/** The payload of a payment by Permit2: what an owner signed for x402's proxy, and its signature. Source: x402 v2, `exact` and `upto` on EVM. */
export interface Permit2Payload {
  readonly token: string
  /** The most that may move. */
  readonly permitted: BaseUnits
  readonly from: string
  /** The contract that it is signed for. */
  readonly spender: string
  readonly nonce: bigint
  /** Unix seconds; the last second in which Permit2 takes it. */
  readonly deadlineSeconds: bigint
  readonly to: string
  /** Unix seconds; the first second in which the proxy takes it. */
  readonly validAfterSeconds: bigint
  /** `upto`: who alone may settle it; null where the payload names nobody. */
  readonly facilitator: string | null
  /** 0x and hex digits, lower case; 65 bytes for a plain key. */
  readonly signature: string
}

/** Permission for Permit2 to move a token, signed by its owner. Source: EIP-2612, and x402's extension `eip2612GasSponsoring`. */
export interface AllowancePermit {
  readonly from: string
  readonly asset: string
  readonly spender: string
  readonly amount: BaseUnits
  readonly deadlineSeconds: bigint
  /** 0x and 130 hex digits, lower case. */
  readonly signature: string
}

const SIGNATURE_CHARACTERS_MAX = 2 + 2 * 4_096
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/
const KEY_SIGNATURE = /^0x[0-9a-fA-F]{130}$/
const INFO_VERSION = /^[0-9]{1,9}(?:\.[0-9]{1,9}){0,3}$/
export const EIP2612_GAS_SPONSORING = 'eip2612GasSponsoring'
const INFO_FIELDS = [
  'from',
  'asset',
  'spender',
  'amount',
  'nonce',
  'deadline',
  'signature',
  'version',
] as const

/** Whether a payload is one of Permit2, be it well formed or not. Source: the reference's `isPermit2Payload`. */
export function isPermit2(payload: Fields): boolean {
  return 'permit2Authorization' in payload
}

/** Reads it, else undefined. `spelling` gives an address in its one spelling, and undefined for what is none. */
export function parsePermit2Payload(
  payload: Fields,
  spelling: (text: string) => string | undefined,
): Permit2Payload | undefined {
  const addressOf = (value: unknown) => (typeof value === 'string' ? spelling(value) : undefined)
  const authorization = fieldsOf(payload['permit2Authorization']) ?? {}
  const limits = fieldsOf(authorization['permitted']) ?? {}
  const witness = fieldsOf(authorization['witness']) ?? {}
  const token = addressOf(limits['token'])
  const permitted = unitsOf(limits['amount'])
  const from = addressOf(authorization['from'])
  const spender = addressOf(authorization['spender'])
  const nonce = unitsOf(authorization['nonce'])
  const deadlineSeconds = unitsOf(authorization['deadline'])
  const to = addressOf(witness['to'])
  const validAfterSeconds = unitsOf(witness['validAfter'])
  const isNamed = witness['facilitator'] !== undefined
  const facilitator = isNamed ? addressOf(witness['facilitator']) : null
  const { signature } = payload
  if (token === undefined || permitted === undefined || from === undefined) return undefined
  if (spender === undefined || nonce === undefined || to === undefined) return undefined
  if (deadlineSeconds === undefined || validAfterSeconds === undefined) return undefined
  if (facilitator === undefined || typeof signature !== 'string') return undefined
  if (signature.length > SIGNATURE_CHARACTERS_MAX || !SIGNATURE.test(signature)) return undefined
  return {
    token,
    permitted,
    from,
    spender,
    nonce,
    deadlineSeconds,
    to,
    validAfterSeconds,
    facilitator,
    signature: signature.toLowerCase(),
  }
}

/**
 * The permission that comes with a payment: undefined where there is none, as when a client only repeats what the seller declared, and
 * `malformed` where it has all its parts and one of them is not what it should be.
 */
export function parseAllowancePermit(
  extensions: Fields,
  spelling: (text: string) => string | undefined,
): AllowancePermit | 'malformed' | undefined {
  const info = fieldsOf(fieldsOf(extensions[EIP2612_GAS_SPONSORING])?.['info'])
  if (info === undefined || INFO_FIELDS.some((field) => !info[field])) return undefined
  const addressOf = (value: unknown) => (typeof value === 'string' ? spelling(value) : undefined)
  const [from, asset, spender] = [info['from'], info['asset'], info['spender']].map(addressOf)
  const [amount, nonce, deadlineSeconds] = [info['amount'], info['nonce'], info['deadline']].map(
    unitsOf,
  )
  const { signature, version } = info
  if (from === undefined || asset === undefined || spender === undefined) return 'malformed'
  if (amount === undefined || nonce === undefined || deadlineSeconds === undefined) {
    return 'malformed'
  }
  if (typeof signature !== 'string' || !KEY_SIGNATURE.test(signature)) return 'malformed'
  if (typeof version !== 'string' || !INFO_VERSION.test(version)) return 'malformed'
  return { from, asset, spender, amount, deadlineSeconds, signature: signature.toLowerCase() }
}
