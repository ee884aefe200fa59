import type { BaseUnits } from '../amount.ts'
import { fieldsOf, unitsOf } from './fields.ts'
import type { Fields } from './fields.ts'

/** What a payer says of a transaction of its own that approves Permit2, and the signed bytes. Source: x402's extension `erc20ApprovalGasSponsoring`. */
export interface ApprovalTransaction {
  readonly from: string
  readonly asset: string
  readonly spender: string
  readonly amount: BaseUnits
  /** 0x and hex digits, lower case. */
  readonly signedTransaction: string
}

export const ERC20_APPROVAL_GAS_SPONSORING = 'erc20ApprovalGasSponsoring'
const INFO_FIELDS = ['from', 'asset', 'spender', 'amount', 'signedTransaction', 'version'] as const
/** An approval has some 180 bytes. */
const TRANSACTION_CHARACTERS_MAX = 2 + 2 * 1_024
const HEX = /^0x(?:[0-9a-fA-F]{2})+$/
const INFO_VERSION = /^[0-9]{1,9}(?:\.[0-9]{1,9}){0,3}$/

/**
 * The approval that comes with a payment: undefined where there is none, as when a client only repeats what the seller declared, and
 * `malformed` where it has all its parts and one of them is not what it should be. `spelling` gives an address in its one spelling, and
 * undefined for what is none.
 */
export function parseApprovalTransaction(
  extensions: Fields,
  spelling: (text: string) => string | undefined,
): ApprovalTransaction | 'malformed' | undefined {
  const info = fieldsOf(fieldsOf(extensions[ERC20_APPROVAL_GAS_SPONSORING])?.['info'])
  if (info === undefined || INFO_FIELDS.some((field) => !info[field])) return undefined
  const addressOf = (value: unknown) => (typeof value === 'string' ? spelling(value) : undefined)
  const [from, asset, spender] = [info['from'], info['asset'], info['spender']].map(addressOf)
  const amount = unitsOf(info['amount'])
  const { signedTransaction, version } = info
  if (from === undefined || asset === undefined || spender === undefined) return 'malformed'
  if (amount === undefined || typeof signedTransaction !== 'string') return 'malformed'
  if (signedTransaction.length > TRANSACTION_CHARACTERS_MAX) return 'malformed'
  if (!HEX.test(signedTransaction)) return 'malformed'
  if (typeof version !== 'string' || !INFO_VERSION.test(version)) return 'malformed'
  return { from, asset, spender, amount, signedTransaction: signedTransaction.toLowerCase() }
}
