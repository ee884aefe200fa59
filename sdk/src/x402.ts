import { call } from './call.ts'
import type { CallOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { GetEscrowCallAnswer } from './contract/get-escrow-call.ts'
import type { ListEscrowCallsAnswer, ListEscrowCallsQuery } from './contract/list-escrow-calls.ts'
import type { X402ResourcesAnswer, X402ResourcesQuery } from './contract/x402-resources.ts'
import type { X402SearchAnswer, X402SearchQuery } from './contract/x402-search.ts'
import type { X402SettleAnswer, X402SettleBody } from './contract/x402-settle.ts'
import type { X402SupportedAnswer } from './contract/x402-supported.ts'
import type { X402VerifyAnswer, X402VerifyBody } from './contract/x402-verify.ts'
import { limits } from './limits.ts'

export type EscrowCall = ListEscrowCallsAnswer['calls'][number]

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
  /** Calls to the escrow of `batch-settlement` that the account had sent, newest first; pages are asked for as you go on. */
  escrowCalls(
    query?: Omit<ListEscrowCallsQuery, 'cursor'>,
    options?: CallOptions,
  ): AsyncGenerator<EscrowCall, void, undefined>
  /** One page of them. */
  escrowCallsPage(
    query?: ListEscrowCallsQuery,
    options?: CallOptions,
  ): Promise<ListEscrowCallsAnswer>
  /** One of them, with all its channels. */
  escrowCall(callId: string, options?: CallOptions): Promise<GetEscrowCallAnswer>
}

export function x402(connection: Connection): X402 {
  const escrowCallsPage: X402['escrowCallsPage'] = (query, options) =>
    call(connection, 'listEscrowCalls', { query }, options)
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
    async *escrowCalls(query = {}, options) {
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page: ListEscrowCallsAnswer = await escrowCallsPage({ ...query, cursor }, options)
        yield* page.calls
        cursor = page.nextCursor
      }
    },
    escrowCallsPage,
    escrowCall: (callId, options) =>
      call(connection, 'getEscrowCall', { parts: { callId } }, options),
    search: (query, options) => call(connection, 'x402Search', { query }, options),
  }
}
