import type { IncomingMessage } from 'node:http'
import { limits } from '../kernel/limits.ts'
import { invalidRequest, unreadable } from './library-errors.ts'

const VISIBLE_ASCII = /^[\x21-\x7e]+$/
const UTF_8 = /^utf-?8$/i

/** Every value of a header, in order. Node's own `headers` drops or joins repeated ones. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? ''
    if (header.length === name.length && header.toLowerCase() === name) {
      values.push(rawHeaders[at + 1] ?? '')
    }
  }
  return values
}

/** As Node itself looks for the expectation that it meets. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/**
 * Refuses a request of HTTP/1.1 without a host, one that expects what nobody here knows, and one whose body is packed on its way: Node reads it as
 * if it were not. Source: RFC 9112, 3.2 and 6.1; RFC 9110, 10.1.1.
 */
export function refuseForeignForms({
  headers: { host, expect, 'transfer-encoding': coding },
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'httpVersion'>): void {
  if (host === undefined && httpVersion !== '1.0') {
    throw invalidRequest('Host', 'is required in HTTP/1.1')
  }
  if (expect !== undefined && !CONTINUE.test(expect)) {
    throw invalidRequest('Expect', 'must be 100-continue or left out')
  }
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalidRequest('Transfer-Encoding', 'must be chunked or left out')
  }
}

/** Reads Idempotency-Key: 1 to 255 visible ASCII characters, given at most once. */
export function readIdempotencyKey(rawHeaders: readonly string[]): string | undefined {
  const [key, ...others] = headerValues(rawHeaders, 'idempotency-key')
  if (key === undefined) return undefined
  const max = limits.idempotencyKeyCharactersMax
  if (others.length > 0) throw invalidRequest('Idempotency-Key', 'is given twice')
  if (key.length > max || !VISIBLE_ASCII.test(key)) {
    throw invalidRequest('Idempotency-Key', `must be 1 to ${max} visible ASCII characters`)
  }
  return key
}

/** Refuses bodies that are packed or not in UTF-8; their media type is the server's own check. */
export function refuseForeignEncodings(headers: {
  readonly 'content-encoding'?: string | undefined
  readonly 'content-type'?: string | undefined
}): void {
  const encoding = headers['content-encoding']
  const charset = /;\s*charset="?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unreadable('Content-Encoding', 'must be left out: no packed body is read')
  }
  if (charset !== undefined && !UTF_8.test(charset)) {
    throw unreadable('Content-Type', 'must be application/json in UTF-8')
  }
}
