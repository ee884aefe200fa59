import type { Endpoint } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'

/**
 * Codes that an operation may answer whatever it does, beside its own `fails`: the edge refuses before the operation
 * is asked, or something failed that nobody foresaw.
 */
export function commonCodes({
  needs,
  method,
}: Pick<Endpoint, 'needs' | 'method'>): readonly ErrorCode[] {
  return [
    'INVALID_PARAMETERS',
    ...(needs === null ? [] : (['UNAUTHORIZED', 'FORBIDDEN'] as const)),
    'PAYLOAD_TOO_LARGE',
    ...(method === 'GET' ? [] : (['UNSUPPORTED_MEDIA_TYPE'] as const)),
    'RATE_LIMIT',
    'INTERNAL_ERROR',
    'NETWORK_ERROR',
  ]
}
