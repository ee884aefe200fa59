import { Refusal } from '@florin/wire/errors.ts'

/** What the HTTP library and Node's HTTP parser throw by themselves, in words of the catalogue. */
const KNOWN: Readonly<Record<string, () => Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Refusal('PAYLOAD_TOO_LARGE'),
  HPE_HEADER_OVERFLOW: () =>
    new Refusal('PAYLOAD_TOO_LARGE', {
      message: 'The headers are larger than this service reads.',
    }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unreadable('Content-Type', 'must be application/json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    invalidRequest('body', 'is not as long as Content-Length says'),
  FST_ERR_BAD_URL: () => invalidRequest('path', 'is not valid percent-encoding'),
  FST_ERR_MAX_PARAM_LENGTH: () => invalidRequest('path', 'has a part that is too long'),
  // It may be this service that stood still: Node ends a request that lay before its door in the meantime. No handler has seen it.
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    new Refusal('NETWORK_ERROR', {
      message: 'The request did not arrive in time, and nothing of it was done. Send it again.',
      retryAfterSeconds: 1,
    }),
}

/** From the library's errors to the catalogue; anything else stays what it is. */
export function fromLibrary(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (Object.hasOwn(KNOWN, code)) return KNOWN[code]?.()
  return code.startsWith('HPE_') ? invalidRequest('request', 'is not HTTP') : error
}

/** UNSUPPORTED_MEDIA_TYPE of one header. */
export function unreadable(header: string, rule: string): Refusal {
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', { details: { [header]: rule } })
}

/** INVALID_PARAMETERS of one field, or of one part of the request. */
export function invalidRequest(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
