import { isObject } from '../is-object.ts'
import { limits } from '../limits.ts'
import { buyersOf } from './extensions.ts'
import { decodeHeader } from './header-json.ts'

/** A payment as a buyer showed it, nothing believed yet. */
export interface Presented {
  readonly x402Version: 1 | 2
  /** The header as it came. */
  readonly header: string
  readonly payload: Readonly<Record<string, unknown>>
}

export type ReadPresented =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'presented'; readonly presented: Presented }

/** Reads what the request pays with. The header's name says the version, and the content has to agree. */
export function readPresented(header: (name: string) => string | undefined): ReadPresented {
  const [v1, v2] = [header('x-payment'), header('payment-signature')]
  if (v1 === undefined && v2 === undefined) return { kind: 'none' }
  if (v1 !== undefined && v2 !== undefined) return malformed('two payments were shown at once')
  const text = v2 ?? v1 ?? ''
  if (text.length > limits.paymentHeaderCharactersMax) return malformed('the payment is too long')
  const payload = decodeHeader(text)
  if (!isObject(payload)) return malformed('the payment is not base64 of a JSON object')
  const x402Version = v2 === undefined ? 1 : 2
  if (payload['x402Version'] !== x402Version) {
    return malformed(`the header is of x402 version ${x402Version}, its content is not`)
  }
  if (!isPlain(handedOn(payload, x402Version), DEPTH_MAX, { values: VALUES_MAX })) {
    return malformed('the payment is no plain JSON')
  }
  return { kind: 'presented', presented: { x402Version, header: text, payload } }
}

/** What of it goes on to the service: in version 2 a buyer repeats what is sold and offered, in whatever depth its seller wrote that. */
function handedOn(payload: Presented['payload'], version: 1 | 2): Presented['payload'] {
  if (version === 1) return payload
  return { ...payload, resource: null, extensions: buyersOf(payload) }
}

/** Less than the service reads, whose answer to anything deeper would look like a failure of the seller's side. */
const DEPTH_MAX = 12
/** Far more than any payment has, and with what sellers declare beside it less than the service reads. */
const VALUES_MAX = 300
const NAME_CHARACTERS_MAX = 128
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const LONE_SURROGATE = /\p{Surrogate}|\0/u

/** Whether the service would read it at all: not deeper, of not more, with no names that no honest payment has, and of whole characters. */
function isPlain(value: unknown, depthLeft: number, left: { values: number }): boolean {
  left.values -= 1
  if (left.values < 0) return false
  if (typeof value === 'string') return !LONE_SURROGATE.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (depthLeft === 0) return false
  return Object.entries(value).every(
    ([name, each]) =>
      name.length <= NAME_CHARACTERS_MAX &&
      !FORBIDDEN.has(name) &&
      !LONE_SURROGATE.test(name) &&
      isPlain(each, depthLeft - 1, left),
  )
}

function malformed(reason: string): ReadPresented {
  return { kind: 'malformed', reason }
}
