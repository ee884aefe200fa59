import { expect, test } from 'vitest'
import { openSimulationDoubt } from './simulation-doubt.ts'

const SEEN = 1_000n
/** The slots of 5 s. */
const BEHIND_MAX = 13n
const doubtOf = openSimulationDoubt({ seenSlot: () => SEEN, blockTimeMilliseconds: 400 })
const untold = { ok: false, reason: 'network_unavailable' }

test.each([
  'AccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  { InsufficientFundsForRent: { account_index: 0 } },
])('a fee payer that cannot pay is no fault of the payment: %j', (error) => {
  const doubt = doubtOf(error, SEEN)
  expect(doubt).toMatchObject({ ...untold, isFeePayerShort: true })
})

test.each([
  { InsufficientFundsForRent: { account_index: 3 } },
  { InstructionError: [2, { Custom: 1 }] },
  'AlreadyProcessed',
])('what else is short, or has happened, is one: %j', (error) => {
  for (const slot of [SEEN + 1n, SEEN, SEEN - BEHIND_MAX]) {
    expect(doubtOf(error, slot)).toBeUndefined()
  }
})

test('and not where a node is so far behind that money may have come since', () => {
  const short = { InstructionError: [2, { Custom: 1 }] }
  expect(doubtOf(short, SEEN - BEHIND_MAX - 1n)).toMatchObject(untold)
})

test('a node that is behind at all does not know a young blockhash', () => {
  expect(doubtOf('BlockhashNotFound', SEEN)).toBeUndefined()
  expect(doubtOf('BlockhashNotFound', SEEN - 1n)).toMatchObject(untold)
})
