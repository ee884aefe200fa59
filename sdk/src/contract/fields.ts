// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** JSON numbers of an answer that count money: they are read as text, digit by digit. */
export const EXACT_FIELDS: readonly string[] = [
  'accountRent',
  'allowed',
  'amount',
  'available',
  'balance',
  'fee',
  'held',
  'left',
  'perDay',
  'perHour',
  'perMonth',
  'perPayment',
  'priorityFee',
  'received',
  'reserved',
  'sent',
  'successRate',
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
