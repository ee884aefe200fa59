// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** A ticket that opens one WebSocket: the answer of POST /events/ticket. */
export interface CreateEventTicketAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Opens one WebSocket, once: `?ticket=` in its address, or in an `authenticate` message. */
  readonly ticket: string
  /** Unix milliseconds, 30 s from now. */
  readonly expiresAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
