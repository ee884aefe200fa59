// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** JSON numbers of an answer that count money: they are read as text, digit by digit. */
export const EXACT_FIELDS: readonly string[] = [
  'accountRent',
  'allowed',
  'amount',
  'available',
  'balance',
  'effectivePrice',
  'estimatedPrice',
  'estimatedReceived',
  'estimatedTokensReceived',
  'fee',
  'held',
  'left',
  'minimumReceived',
  'perDay',
  'perHour',
  'perMonth',
  'perPayment',
  'priceImpact',
  'priorityFee',
  'priorityFeeUsed',
  'received',
  'reserved',
  'sent',
  'slippage',
  'slippageUsed',
  'successRate',
  'tokensReceived',
  'tokensSold',
  'transfer',
]

/** What is in these is somebody else's: read as any JSON. */
export const FREE_FIELDS: readonly string[] = [
  'data',
  'details',
  'event',
  'metadata',
  'nodes',
  'parts',
]
