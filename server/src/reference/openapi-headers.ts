import type { Endpoint } from '@florin/wire/endpoint.ts'

const whole = { type: 'integer', minimum: 0 }
const text = { type: 'string' }

/** Every header that an answer may carry, under the name that the document refers to. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Name of this request in the logs of the service; give it to support.',
    required: true,
    schema: { type: 'string', pattern: '^req_[1-9A-HJ-NP-Za-km-z]{22}$' },
  },
  'X-RateLimit-Limit': { description: 'Requests that the window allows.', schema: whole },
  'X-RateLimit-Remaining': { description: 'Requests left in the window.', schema: whole },
  'X-RateLimit-Reset': {
    description: 'When the window ends, Unix seconds.',
    schema: whole,
  },
  RateLimit: {
    description: 'What is left of the policy, as the IETF draft on rate limit fields says.',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'The policy of the key: requests and seconds of a window.',
    schema: text,
  },
  'Retry-After': { description: 'Seconds to wait before asking again.', schema: whole },
  'Idempotent-Replayed': {
    description: 'Present when an earlier request with this Idempotency-Key is answered for.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: text },
  Deprecation: {
    description: 'Since when the operation is deprecated: `@` and Unix seconds (RFC 9745).',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
  },
  Sunset: {
    description: 'When the operation may stop to answer, an HTTP date (RFC 8594).',
    schema: text,
  },
  Link: { description: 'With rel="deprecation": the guide for moving on.', schema: text },
} as const

const LIMITED: readonly (keyof typeof HEADERS)[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
]
const WAITS: ReadonlySet<number> = new Set([409, 429, 503])

/** Which of them an answer of an operation may carry at a status. */
export function headersOf(endpoint: Endpoint, status: number): readonly (keyof typeof HEADERS)[] {
  const { deprecated, idempotent, needs } = endpoint
  return [
    'X-Request-Id',
    ...(needs === null || status === 401 ? [] : LIMITED),
    ...(status === 200 && idempotent ? (['Idempotent-Replayed'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(WAITS.has(status) ? (['Retry-After'] as const) : []),
    ...(deprecated === undefined ? [] : (['Deprecation', 'Sunset', 'Link'] as const)),
  ]
}
