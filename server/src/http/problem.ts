import { catalogue, Refusal } from '@florin/wire/errors.ts'
import type { ErrorCode, ErrorDetails } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import { AfterCommit } from './after-commit.ts'

export interface Problem {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** Something that nobody foresaw: its cause belongs in the log. */
  readonly unforeseen: boolean
}

export interface ProblemContext {
  readonly requestId: string
  readonly nowMilliseconds: number
  /** The service's own address, without a slash at the end. */
  readonly baseUrl: string
  /** A part that we need did not answer: a node, the database. */
  isUnavailable(error: unknown): boolean
}

const WAITS: ReadonlySet<number> = new Set([409, 429, 503])
/** Codes whose caller should repeat, and so always hears when. */
const REPEATS: ReadonlySet<ErrorCode> = new Set([
  'IDEMPOTENCY_CONFLICT',
  'RATE_LIMIT',
  'NETWORK_ERROR',
  'SETTLEMENT_PENDING',
])

/**
 * The one way from something thrown to an answer. A refusal keeps its code and details; a part that is away is
 * NETWORK_ERROR; everything else is INTERNAL_ERROR, and nothing of it but a payment's id is told.
 */
export function problem(error: unknown, context: ProblemContext): Problem {
  if (error instanceof Refusal) {
    const { code, message, details, retryAfterSeconds } = error
    return answer(context, { code, message, details, retryAfterSeconds, unforeseen: false })
  }
  if (error instanceof AfterCommit) {
    const details = { paymentId: error.paymentId }
    return answer(context, {
      ...{ code: 'INTERNAL_ERROR', details, unforeseen: true },
      message:
        'The payment may be stored, and then it goes on by itself. Read its status, and do not pay again before.',
    })
  }
  if (context.isUnavailable(error)) {
    return answer(context, { code: 'NETWORK_ERROR', unforeseen: false })
  }
  return answer(context, { code: 'INTERNAL_ERROR', unforeseen: true })
}

function answer(
  { requestId, nowMilliseconds, baseUrl }: ProblemContext,
  facts: {
    readonly code: ErrorCode
    readonly message?: string
    readonly details?: ErrorDetails | undefined
    readonly retryAfterSeconds?: number | undefined
    readonly unforeseen: boolean
  },
): Problem {
  const { code, details, unforeseen } = facts
  const { status, says } = catalogue[code]
  const retryAfter = WAITS.has(status)
    ? (facts.retryAfterSeconds ?? (REPEATS.has(code) ? limits.retryAfterSeconds : undefined))
    : undefined
  return {
    code,
    status,
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body: {
      success: false,
      error: {
        code,
        message: facts.message ?? says,
        ...(details === undefined ? {} : { details }),
        ...(retryAfter === undefined ? {} : { retryAfter: Math.ceil(retryAfter) }),
        requestId,
        docs: `${baseUrl}/docs/errors/${code}`,
      },
      timestamp: nowMilliseconds,
    },
    unforeseen,
  }
}
