import type { ErrorCode } from '@florin/wire/errors.ts'

/** Codes of the page's own, beside those of the service. */
export type FailureCode = ErrorCode | 'NO_ANSWER'

/** What the service answered in place of what was asked for, or that nobody answered. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: FailureCode
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  readonly docs: string | null
  readonly retryAfterSeconds: number | null
  constructor(facts: {
    readonly code: FailureCode
    readonly message: string
    readonly status: number
    readonly details?: Readonly<Record<string, unknown>>
    readonly requestId?: string | null
    readonly docs?: string | null
    readonly retryAfterSeconds?: number | null
  }) {
    super(facts.message)
    this.code = facts.code
    this.status = facts.status
    this.details = facts.details ?? {}
    this.requestId = facts.requestId ?? null
    this.docs = facts.docs ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
  }
}

/** That nobody answered: the service does not run, or the way to it is cut. */
export function noAnswer(): ApiError {
  return new ApiError({
    code: 'NO_ANSWER',
    status: 0,
    message: 'The service did not answer. Is it running, and is this machine connected?',
  })
}

/** The rule that a field broke, when the service named it. */
export function faultOf(error: unknown, field: string): string | undefined {
  const rule = error instanceof ApiError ? error.details[field] : undefined
  return typeof rule === 'string' ? rule : undefined
}

/** Whether the same may be answered a little later: nobody answered, the service could not, or not so soon. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return error.status === 0 || error.status === 429 || error.status >= 500
}
