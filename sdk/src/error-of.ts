import { FlorinError } from './florin-error.ts'
import type { FlorinErrorFacts } from './florin-error.ts'
import { isObject } from './is-object.ts'
import type { Failed } from './try-once.ts'

const REDIRECTS = [0, 301, 302, 303, 307, 308]

/** A failed try as an error of the client. */
export function errorOf(
  failed: Failed,
  more: Pick<FlorinErrorFacts, 'idempotencyKey' | 'outcomeUnknown' | 'tries'>,
): FlorinError {
  if (failed.kind === 'lost') {
    return new FlorinError({ code: 'NO_ANSWER', message: failed.reason, ...more })
  }
  const { status, error, retryAfterSeconds: retryAfter } = failed
  const code = textOf(error?.['code'])
  if (code === undefined) {
    const message = REDIRECTS.includes(status)
      ? 'the address leads somewhere else: give the one that it leads to as baseUrl'
      : `something that is not the service answered, with HTTP status ${status}`
    return new FlorinError({ code: 'BAD_ANSWER', message, status, retryAfter, ...more })
  }
  const details = error?.['details']
  const told = error?.['retryAfter']
  return new FlorinError({
    code,
    status,
    message: textOf(error?.['message']) ?? code,
    details: isObject(details) ? details : undefined,
    retryAfter: retryAfter ?? (typeof told === 'number' ? told : undefined),
    requestId: textOf(error?.['requestId']),
    docs: textOf(error?.['docs']),
    ...more,
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
