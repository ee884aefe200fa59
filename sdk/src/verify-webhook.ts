import { FlorinError } from './florin-error.ts'
import { isObject } from './is-object.ts'

/** What arrived at your address, as it arrived. */
export interface ReceivedWebhook {
  /** The body before anything parsed it: one changed character, and it is not signed. */
  readonly body: string | Uint8Array
  /** The header `Florin-Signature`; null or undefined when there was none. */
  readonly signature: string | null | undefined
  /** Of the webhook; several while you change over. */
  readonly secret: string | readonly string[]
  /** How far the time of the signature may lie from now, seconds: 300 unless you say otherwise. */
  readonly toleranceSeconds?: number
  /** The time of now, Unix milliseconds; left out, the clock's. */
  readonly now?: number
}

/** An event of your account. Of two with the same id the second is a repetition. */
export interface WebhookEvent {
  readonly id: string
  readonly type: string
  readonly channel: string
  /** 1, 2, 3 and so on over all events of the account; 0 for a test. */
  readonly sequence: number
  readonly data: Readonly<Record<string, unknown>>
  /** When it became true, Unix milliseconds. */
  readonly timestamp: number
}

const TOLERANCE_SECONDS = 300
const PARTS_MAX = 16
const HEADER = /^t=([0-9]{1,12})((?:,(?!t=)[a-z0-9]+=[0-9A-Za-z+/=_-]+)+)$/
const HEX_DIGEST = /^[0-9a-f]{64}$/

/**
 * Checks that a webhook was signed with your secret, just now, and gives its event. Nothing of an unsigned body is looked at.
 * The comparison is WebCrypto's own, whose time does not depend on where two signatures differ.
 * @throws {FlorinError} INVALID_SIGNATURE. Answer 400 then, and do nothing else.
 */
export async function verifyWebhook(webhook: ReceivedWebhook): Promise<WebhookEvent> {
  const { body, signature, secret, now = Date.now() } = webhook
  const { toleranceSeconds = TOLERANCE_SECONDS } = webhook
  const { seconds, digests } = readHeader(signature)
  if (!(Math.abs(now / 1000 - seconds) <= toleranceSeconds)) {
    throw invalid('the signature is too old, or of the future')
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(new TextEncoder().encode(`${seconds}.`), bytes)
  const secrets = typeof secret === 'string' ? [secret] : secret
  let isSigned = false
  for (const one of secrets) {
    if (one === '') throw invalid('the secret is empty')
    const key = await crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(one),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    for (const digest of digests) {
      if (await crypto.subtle.verify('HMAC', key, digest, signed)) isSigned = true
    }
  }
  if (!isSigned) throw invalid('the body is not signed with this secret')
  return eventOf(new TextDecoder().decode(bytes))
}

function readHeader(header: string | null | undefined) {
  const [, time = '', rest = ''] = HEADER.exec(header ?? '') ?? []
  const parts = rest.split(',').slice(1)
  const digests = parts
    .filter((part) => part.startsWith('v1=') && HEX_DIGEST.test(part.slice(3)))
    .map((part) => bytesOf(part.slice(3)))
  if (time === '' || digests.length === 0 || parts.length > PARTS_MAX) {
    throw invalid('there is no signature of a known form')
  }
  return { seconds: Number(time), digests }
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  )
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

function eventOf(text: string): WebhookEvent {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (!isObject(value)) throw invalid('the body is not an event')
  const { id, type, channel, sequence, data, timestamp } = value
  if (
    typeof id !== 'string' ||
    typeof type !== 'string' ||
    typeof channel !== 'string' ||
    typeof sequence !== 'number' ||
    typeof timestamp !== 'number' ||
    !isObject(data)
  ) {
    throw invalid('the body is not an event')
  }
  return { id, type, channel, sequence, data, timestamp }
}

function invalid(message: string): FlorinError {
  return new FlorinError({ code: 'INVALID_SIGNATURE', message })
}
