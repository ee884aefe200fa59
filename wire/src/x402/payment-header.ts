import { fieldsOf } from './fields.ts'
import type { Fields } from './fields.ts'

/** An X-PAYMENT or PAYMENT-SIGNATURE header may be this long: Solana's largest transaction and room for extensions. */
export const PAYMENT_HEADER_CHARACTERS_MAX = 16 * 1024

const PIECE_BYTES = 8 * 1024
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Decodes the value of an `X-PAYMENT` (v1) or `PAYMENT-SIGNATURE` (v2) header: base64 of a JSON object. Both alphabets and missing
 * padding are taken, since clients differ; what counts is the decoded content, never the text. Undefined for anything else.
 */
export function decodePaymentHeader(header: string): Fields | undefined {
  const text = header.trim()
  if (text === '' || text.length > PAYMENT_HEADER_CHARACTERS_MAX || !BASE64.test(text)) {
    return undefined
  }
  const plain = text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
  if (plain.length % 4 === 1) return undefined
  const bytes = Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
  try {
    return fieldsOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    return undefined
  }
}

/** The value of a `PAYMENT-RESPONSE` or `X-PAYMENT-RESPONSE` header: base64 of the settle answer's JSON. */
export function encodePaymentResponse(answer: Fields): string {
  const bytes = new TextEncoder().encode(JSON.stringify(answer))
  let binary = ''
  // As many at once as every engine takes as arguments: what a seller wrote may be long.
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(start, start + PIECE_BYTES))
  }
  return btoa(binary)
}
