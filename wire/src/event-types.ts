/** What an account's events tell of, and the channel that each is subscribed by. */
export const ACCOUNT_EVENTS = {
  payment: 'payments',
  verification: 'verifications',
  settlement: 'settlements',
  /** A call to the escrow of `batch-settlement`. */
  escrowCall: 'escrowCalls',
  /** One of the account's own webhooks was paused. */
  webhook: 'webhooks',
} as const
export type AccountEventType = keyof typeof ACCOUNT_EVENTS
export type AccountChannel = (typeof ACCOUNT_EVENTS)[AccountEventType]

/** What markets show to everybody, and the channel that each is subscribed by. */
export const MARKET_EVENTS = {
  trade: 'trades',
  newToken: 'newTokens',
  priceUpdate: 'priceUpdates',
} as const
export type MarketEventType = keyof typeof MARKET_EVENTS
export type MarketChannel = (typeof MARKET_EVENTS)[MarketEventType]
