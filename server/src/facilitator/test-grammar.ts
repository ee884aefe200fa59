import { canonicalAddress } from '@florin/wire/address.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'

/** The forms that x402 prescribes, said once more and apart from what reads them. */

const UINT256_MAX = 2n ** 256n - 1n
const MONTH_SECONDS = 30 * 24 * 3_600

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 2_048
}

export function isAmount(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    (value === '0' || /^[1-9][0-9]*$/.test(value)) &&
    value.length <= 78 &&
    BigInt(value) <= UINT256_MAX
  )
}

function isOptionalObject(value: unknown): boolean {
  return value === undefined || value === null || fieldsOf(value) !== undefined
}

/** The network's form is apart: what is wrong with it has a reason of its own. */
export function areRequirements(value: unknown, version: 1 | 2): boolean {
  const fields = fieldsOf(value)
  if (fields === undefined) return false
  const { scheme, network, asset, payTo, maxTimeoutSeconds, extra } = fields
  return (
    [scheme, network, asset, payTo].every(isText) &&
    isAmount(fields[version === 1 ? 'maxAmountRequired' : 'amount']) &&
    typeof maxTimeoutSeconds === 'number' &&
    maxTimeoutSeconds > 0 &&
    maxTimeoutSeconds <= MONTH_SECONDS &&
    isOptionalObject(extra)
  )
}

export function isPayment(value: unknown, version: 1 | 2): boolean {
  const fields = fieldsOf(value)
  if (fields === undefined || fieldsOf(fields['payload']) === undefined) return false
  if (!isOptionalObject(fields['extensions'])) return false
  return version === 1
    ? isText(fields['scheme']) && isText(fields['network'])
    : areRequirements(fields['accepted'], version)
}

/** The payload of `exact` on EVM. */
export function isAuthorization(payload: Fields | undefined): boolean {
  const authorization = fieldsOf(payload?.['authorization'])
  if (payload === undefined || authorization === undefined) return false
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const { signature } = payload
  return (
    [from, to].every((address) => isText(address) && isEvmAddress(address)) &&
    [value, validAfter, validBefore].every(isAmount) &&
    typeof nonce === 'string' &&
    /^0x[0-9a-f]{64}$/i.test(nonce) &&
    typeof signature === 'string' &&
    /^0x([0-9a-f]{2})+$/i.test(signature)
  )
}

export function isEvmAddress(text: string): boolean {
  return text.startsWith('0x') && canonicalAddress(text) !== undefined
}
