/** What every tool that pays asks for: an agent whose call is cut off makes it again, and the money moves once. */
export const REPEAT_KEY = {
  idempotencyKey: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x21-\\x7e]+$',
    description:
      'Your own name for this payment, without spaces, which no other payment of yours has, such as "weather-berlin-2026-11-28". Making the same call again with the same name never pays twice and gives the same answer; a new purchase takes a new name.',
  },
} as const

/** Whose wallet pays, where the agent wants to say. */
export const PAYING_WALLET = {
  walletAddress: {
    type: 'string',
    description: 'The wallet that pays, as list_wallets names it. Left out: the only one there is.',
  },
} as const

/** What hosts are told of a tool that pays: it spends money, and the same call again spends none. */
export const PAYS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
} as const
