import { call } from './call.ts'
import type { CallOptions, IntentOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { FetchPaymentAnswer, FetchPaymentBody } from './contract/fetch-payment.ts'
import type { FindPaymentAnswer, FindPaymentQuery } from './contract/find-payment.ts'
import type { ListPaymentsAnswer, ListPaymentsQuery } from './contract/list-payments.ts'
import type { PaymentHistoryAnswer, PaymentHistoryQuery } from './contract/payment-history.ts'
import type { PaymentStatusAnswer } from './contract/payment-status.ts'
import type { ReceivePaymentAnswer, ReceivePaymentBody } from './contract/receive-payment.ts'
import type { SendPaymentAnswer, SendPaymentBody } from './contract/send-payment.ts'
import type { SettlePaymentAnswer, SettlePaymentBody } from './contract/settle-payment.ts'
import type { VerifyPaymentAnswer, VerifyPaymentBody } from './contract/verify-payment.ts'
import { limits } from './limits.ts'
import { waitFor } from './wait-for.ts'
import type { WaitOptions } from './wait-for.ts'

export type PaymentRecord = PaymentStatusAnswer
export type ListedPayment = PaymentHistoryAnswer['payments'][number]

export interface Payments {
  /**
   * Pays from a wallet that the service holds, once, however often the request has to be repeated. The answer carries
   * the status that was reached in time; `pending` is not a failure.
   */
  send(order: SendPaymentBody, options?: IntentOptions): Promise<SendPaymentAnswer>
  /**
   * Asks a seller of x402 and pays what it wants, within `maxAmount` and the wallet's policy: the whole exchange in one
   * call, and one payment however often it has to be repeated. See payingFetch for the manners of `fetch`.
   */
  fetch(order: FetchPaymentBody, options?: IntentOptions): Promise<FetchPaymentAnswer>
  /**
   * Settles what a buyer sent and waits until it is on chain. Success is given out once per proof: release what was
   * paid for when this resolves. While the service says SETTLEMENT_PENDING the same request is sent again.
   */
  receive(proof: ReceivePaymentBody, options?: IntentOptions): Promise<ReceivePaymentAnswer>
  /** Settles by proof, or joins a payment that was begun, by `paymentId`. */
  settle(payment: SettlePaymentBody, options?: IntentOptions): Promise<SettlePaymentAnswer>
  /** Whether a proof would settle now. Moves nothing and holds nothing. */
  verify(proof: VerifyPaymentBody, options?: CallOptions): Promise<VerifyPaymentAnswer>
  /** The record of a payment and where it stands. */
  status(paymentId: string, options?: CallOptions): Promise<PaymentRecord>
  /** Everything that an address sent and received, newest first, page after page as it is read. */
  history(
    walletAddress: string,
    query?: Omit<PaymentHistoryQuery, 'cursor' | 'offset'>,
    options?: CallOptions,
  ): AsyncGenerator<ListedPayment, void, undefined>
  /** One page of it, with the total. */
  historyPage(
    walletAddress: string,
    query?: PaymentHistoryQuery,
    options?: CallOptions,
  ): Promise<PaymentHistoryAnswer>
  /** Everything that the account has sent and received, newest first; pages are asked for as you go on. */
  all(
    query?: Omit<ListPaymentsQuery, 'cursor'>,
    options?: CallOptions,
  ): AsyncGenerator<ListedPayment, void, undefined>
  /** One page of it. */
  allPage(query?: ListPaymentsQuery, options?: CallOptions): Promise<ListPaymentsAnswer>
  /** The payments behind a transaction, a proof or a nonce. */
  find(query: FindPaymentQuery, options?: CallOptions): Promise<FindPaymentAnswer>
  /**
   * Looks at a payment until it has come so far, `settled` unless told otherwise.
   * @throws {FlorinError} PAYMENT_ENDED when it failed or expired; WAIT_OVER when it is still under way.
   */
  wait(paymentId: string, options?: WaitOptions): Promise<PaymentRecord>
}

export function payments(connection: Connection): Payments {
  const status = (paymentId: string, options?: CallOptions) =>
    call(connection, 'paymentStatus', { parts: { paymentId } }, options)
  const historyPage: Payments['historyPage'] = (walletAddress, query, options) =>
    call(connection, 'paymentHistory', { parts: { walletAddress }, query }, options)
  const allPage: Payments['allPage'] = (query, options) =>
    call(connection, 'listPayments', { query }, options)
  return {
    send: (body, options) => {
      const waitSeconds = body.timeout ?? limits.sendWaitSeconds
      return call(connection, 'sendPayment', { body }, { ...options, waitSeconds })
    },
    fetch: (body, options) =>
      call(
        connection,
        'fetchPayment',
        { body },
        { ...options, waitSeconds: limits.fetchWaitSeconds },
      ),
    receive: (body, options) => {
      const waitSeconds = body.timeout ?? limits.receiveWaitSeconds
      return call(connection, 'receivePayment', { body }, { ...options, waitSeconds })
    },
    settle: (body, options) => {
      const waitSeconds = body.timeout ?? limits.receiveWaitSeconds
      return call(connection, 'settlePayment', { body }, { ...options, waitSeconds })
    },
    verify: (body, options) => call(connection, 'verifyPayment', { body }, options),
    status,
    async *history(walletAddress, query = {}, options) {
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page: PaymentHistoryAnswer = await historyPage(
          walletAddress,
          { ...query, cursor },
          options,
        )
        yield* page.payments
        cursor = page.nextCursor
      }
    },
    historyPage,
    async *all(query = {}, options) {
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page: ListPaymentsAnswer = await allPage({ ...query, cursor }, options)
        yield* page.payments
        cursor = page.nextCursor
      }
    },
    allPage,
    find: (query, options) => call(connection, 'findPayment', { query }, options),
    wait: (paymentId, options) => waitFor(connection, () => status(paymentId, options), options),
  }
}
