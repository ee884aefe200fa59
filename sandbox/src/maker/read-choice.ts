import type { Json, JsonObject } from '../host/json.ts'
import type { Choice } from './swap.ts'

const AMOUNT = /^(?:0|[1-9]\d{0,19})$/
const U64_MAX = 2n ** 64n - 1n
const UNITS_MAX = 1_400_000
const MEMO_BYTES_MAX = 256

/** Base units in decimal text. */
export function readAmount(value: Json | undefined): bigint | undefined {
  if (typeof value !== 'string' || !AMOUNT.test(value)) return undefined
  const amount = BigInt(value)
  return amount <= U64_MAX ? amount : undefined
}

/** What the taker may choose about its transaction; undefined when it is not whole. */
export function readChoice(body: JsonObject): Choice | undefined {
  const { memo, computeUnits } = body
  const pricePerUnit = readAmount(body['pricePerUnit'])
  if (typeof memo !== 'string' || Buffer.byteLength(memo) > MEMO_BYTES_MAX || memo === '') {
    return undefined
  }
  if (typeof computeUnits !== 'number' || !Number.isInteger(computeUnits)) return undefined
  if (computeUnits < 1 || computeUnits > UNITS_MAX || pricePerUnit === undefined) return undefined
  return { memo, computeUnits, pricePerUnit }
}
