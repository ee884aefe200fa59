/**
 * Something unforeseen happened after a payment was committed. The payment goes on by itself, so the answer names it:
 * whoever asked must not pay again. `cause` is for the log.
 */
export class AfterCommit extends Error {
  override readonly name = 'AfterCommit'
  readonly paymentId: string
  constructor(paymentId: string, cause: unknown) {
    super('failed after the payment was committed', { cause })
    this.paymentId = paymentId
  }
}
