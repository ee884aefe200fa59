import { refusalSentence } from './refusal-sentence.ts'

/** What a caller should do about an error: nothing, change the request, wait and repeat, or ask again for the same thing. */
type Row = { readonly status: number; readonly says: string; readonly next: string }

/** Every error code of the interface: HTTP status, one plain sentence, and what to do next. A page per code is in docs/errors. */
export const catalogue = {
  INVALID_PARAMETERS: {
    status: 400,
    says: 'The request has a field that is missing, unknown or out of range.',
    next: 'Correct the fields named in details and send the request again.',
  },
  INVALID_RECIPIENT: {
    status: 400,
    says: 'The recipient cannot receive this payment.',
    next: 'Check recipientAddress: right chain family, right checksum, not the zero address, not the token itself.',
  },
  INVALID_PAYMENT_PROOF: {
    status: 400,
    says: 'The payment proof cannot be used.',
    next: 'Ask the buyer for a fresh proof.',
  },
  PAYMENT_VERIFICATION_FAILED: {
    status: 400,
    says: 'The proof does not pay what was expected.',
    next: 'Compare amount, recipient, asset and resource with what was asked for.',
  },
  INSUFFICIENT_BALANCE: {
    status: 400,
    says: 'The wallet cannot cover the amount and the fee ceiling.',
    next: 'Fund the wallet with at least details.required, or send less.',
  },
  INVALID_MINT: {
    status: 400,
    says: 'There is no such token.',
    next: 'Check the mint or token address.',
  },
  SLIPPAGE_EXCEEDED: {
    status: 400,
    says: 'The price moved further than slippage allows.',
    next: 'Ask for a new quote or allow more slippage.',
  },
  INSUFFICIENT_LIQUIDITY: {
    status: 400,
    says: 'The market cannot fill this trade.',
    next: 'Trade a smaller amount.',
  },
  POLICY_REFUSED: {
    status: 400,
    says: "The wallet's spending policy refuses this payment.",
    next: 'See details for the rule and what is left of it; change the policy or wait.',
  },
  UNSUPPORTED_NETWORK: {
    status: 400,
    says: 'This network is not enabled here.',
    next: 'See GET /networks for the enabled ones.',
  },
  UNSUPPORTED_ASSET: {
    status: 400,
    says: 'This asset is not enabled on this network.',
    next: 'See GET /networks for the enabled ones.',
  },
  UNAUTHORIZED: {
    status: 401,
    says: 'The API key is missing or not valid.',
    next: 'Send "Authorization: Bearer <key>" with a live key.',
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    says: 'This socket has not said whose it is.',
    next: 'Send {"method":"authenticate","apiKey":"..."} first.',
  },
  FORBIDDEN: {
    status: 403,
    says: "The key's plan or scopes do not include this endpoint.",
    next: 'Use a key with the scope or plan that the endpoint needs.',
  },
  NOT_FOUND: {
    status: 404,
    says: 'There is nothing here under this name.',
    next: 'Check the path and the id; things of other accounts look the same as absent ones.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    says: 'This path does not take this method.',
    next: 'See the Allow header.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    says: 'A request with this idempotency key is still being accepted.',
    next: 'Wait as long as Retry-After says and repeat the same request.',
  },
  DUPLICATE_SETTLEMENT: {
    status: 409,
    says: 'This proof has been used.',
    next: 'Do not pay again. See details for the payment it belongs to.',
  },
  ORDER_CLOSED: {
    status: 409,
    says: 'This order can no longer change.',
    next: 'Read its final state.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    says: 'The request is larger than this service reads.',
    next: 'Send at most 64 KB, or 128 KB to /x402/settle.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    says: 'The body is not JSON.',
    next: 'Send Content-Type: application/json.',
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    says: 'This idempotency key was used for another request.',
    next: 'Use a new key for a new payment, or repeat the first request exactly.',
  },
  TRANSACTION_FAILED: {
    status: 422,
    says: 'The payment failed on chain; the money did not move.',
    next: 'See details.paymentId for the record and its failure.',
  },
  RATE_LIMIT: {
    status: 429,
    says: 'Too many requests for this plan.',
    next: 'Wait as long as Retry-After says and back off exponentially.',
  },
  CONNECTION_LIMIT: {
    status: 429,
    says: 'The account has as many open event connections as its plan allows.',
    next: 'Close one that is not needed; one connection can carry every subscription.',
  },
  INTERNAL_ERROR: {
    status: 500,
    says: 'The service failed to handle this request.',
    next: 'If details.paymentId is present the payment exists: read its status. Otherwise repeat with the same Idempotency-Key.',
  },
  NETWORK_ERROR: {
    status: 503,
    says: 'A part that this request needs (a chain node, a facilitator, the database) is unreachable.',
    next: 'Nothing was committed. Repeat with the same Idempotency-Key after Retry-After.',
  },
  SETTLEMENT_PENDING: {
    status: 503,
    says: 'The settlement is on its way and its outcome is not known yet.',
    next: 'Ask again with the same request; it joins the wait.',
  },
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof catalogue

export const ERROR_CODES = Object.keys(catalogue).filter(
  (code): code is ErrorCode => code in catalogue,
)

/** Facts of a refusal that a caller may see: field -> text. */
export type ErrorDetails = Readonly<Record<string, unknown>>

/** An expected "no", safe to show. `cause` is for our logs and never reaches the wire. Anything else that is thrown is a bug: 500. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined
  readonly retryAfterSeconds: number | undefined
  constructor(
    code: ErrorCode,
    options: {
      details?: ErrorDetails
      retryAfterSeconds?: number
      message?: string
      cause?: unknown
    } = {},
  ) {
    super(
      options.message ?? refusalSentence(catalogue[code], options.details),
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
