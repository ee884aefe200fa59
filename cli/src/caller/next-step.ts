import { catalogue } from '@florin/wire/errors.ts'

/** What to do about a code of the client itself. */
const OF_CLIENT: Readonly<Record<string, string>> = {
  NO_ANSWER: 'Check the address, and whether the service runs.',
  BAD_ANSWER: 'Check FLORIN_BASE_URL.',
  PAYMENT_ENDED: 'Paying again is a new payment.',
}

/** What to do about an error, by its code; undefined where nobody has said. */
export function nextStep(code: string): string | undefined {
  return OF_CLIENT[code] ?? Object.entries(catalogue).find(([known]) => known === code)?.[1].next
}
