import { fromBase64, toBase64 } from '../base64.ts'

/** A value as base64 of its JSON, as the headers of x402 carry it. */
export function encodeHeader(value: unknown): string {
  return toBase64(new TextEncoder().encode(JSON.stringify(value)))
}

/** Reads such a header, in either alphabet of base64, as the service does: buyers differ. Undefined when it is none. */
export function decodeHeader(text: string): unknown {
  try {
    const plain = text.replaceAll('-', '+').replaceAll('_', '/')
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(plain)),
    )
    return value
  } catch {
    return undefined
  }
}
