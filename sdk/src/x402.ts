import { call } from './call.ts'
import type { CallOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { X402ResourcesAnswer, X402ResourcesQuery } from './contract/x402-resources.ts'
import type { X402SearchAnswer, X402SearchQuery } from './contract/x402-search.ts'
import type { X402SettleAnswer, X402SettleBody } from './contract/x402-settle.ts'
import type { X402SupportedAnswer } from './contract/x402-supported.ts'
import type { X402VerifyAnswer, X402VerifyBody } from './contract/x402-verify.ts'
import { limits } from './limits.ts'

export interface SettleOptions extends CallOptions {
  /** Told of every try whose answer was lost: a `duplicate_settlement` after it may be that try's own success. */
  readonly onLost?: () => void
}

export interface X402 {
  /** Whether an x402 payment would settle now. A "no" is an answer with `isValid: false`, not an error. */
  verify(payment: X402VerifyBody, options?: CallOptions): Promise<X402VerifyAnswer>
  /**
   * Settles an x402 payment on chain. While the service says `settlement_pending`, the identical request is sent
   * again and joins the wait; if it is still pending when the tries are used up, that is the answer.
   */
  settle(payment: X402SettleBody, options?: SettleOptions): Promise<X402SettleAnswer>
  /** The kinds of payment that can be settled here. */
  supported(options?: CallOptions): Promise<X402SupportedAnswer>
  /** A page of what can be bought, as sellers describe it: what counts is the 402 that the address itself answers. */
  resources(query?: X402ResourcesQuery, options?: CallOptions): Promise<X402ResourcesAnswer>
  /** The same by words; `pagination.cursor` of an answer goes on. */
  search(query: X402SearchQuery, options?: CallOptions): Promise<X402SearchAnswer>
}

export function x402(connection: Connection): X402 {
  return {
    verify: (body, options) => call(connection, 'x402Verify', { body }, options),
    settle: (body, options) =>
      call(
        connection,
        'x402Settle',
        { body },
        {
          ...options,
          waitSeconds: limits.settleWaitSeconds,
          isOpen: (answer) => !answer.success && answer.errorReason === 'settlement_pending',
        },
      ),
    supported: (options) => call(connection, 'x402Supported', {}, options),
    resources: (query, options) => call(connection, 'x402Resources', { query }, options),
    search: (query, options) => call(connection, 'x402Search', { query }, options),
  }
}
