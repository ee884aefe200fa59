/** Which payment was shown decides what is answered, in either version. */
const VARIES_BY = ['PAYMENT-SIGNATURE', 'X-PAYMENT'] as const

/** No cache may keep what one buyer paid for, nor a demand that names an amount. RFC 9111, 5.2.2; RFC 9110, 12.5.5. */
export const NO_STORE = {
  'Cache-Control': 'private, no-store',
  Vary: VARIES_BY.join(', '),
} as const

/** What is to be said under a name beside what somebody has said: `Vary` is a list that is added to, everything else is ours. */
export function saidBeside(name: string, value: string, known: string | undefined): string {
  if (name.toLowerCase() !== 'vary' || known === undefined) return value
  const there = known.split(',').map((each) => each.trim())
  const lower = new Set(there.map((each) => each.toLowerCase()))
  if (lower.has('*')) return known
  const more = value.split(', ').filter((each) => !lower.has(each.toLowerCase()))
  return [...there, ...more].filter((each) => each !== '').join(', ')
}
