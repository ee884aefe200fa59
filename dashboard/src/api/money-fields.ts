/** Fields of answers that hold money as a JSON number. A test holds the list against the contract. */
export const MONEY_FIELDS: ReadonlySet<string> = new Set([
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
  'transfer',
])

/** Reads JSON; a number in a field of money becomes its source text, so that no digit is lost. */
export function readJson(text: string): unknown {
  return JSON.parse(text, (key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && MONEY_FIELDS.has(key) ? (context?.source ?? String(value)) : value,
  )
}
