import { describe, expect, test } from 'vitest'
import { Refusal } from './errors.ts'
import { isSaid } from './refusal-sentence.ts'

describe('the message of a refusal', () => {
  test('names the field that is to blame, and its rule', () => {
    const details = { amount: 'must be between 0.001 and 100' }
    const { message } = new Refusal('INVALID_PARAMETERS', { details })
    expect(message).toBe(
      'The request has a field that is missing, unknown or out of range (amount: must be between 0.001 and 100).',
    )
    expect(isSaid(message, 'amount', details.amount)).toBe(true)
    expect(isSaid(message, 'amount', 'is required')).toBe(false)
  })

  test('names three at most, and says how many more there are', () => {
    const details = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'is required']),
    )
    expect(new Refusal('INVALID_PARAMETERS', { details }).message).toMatch(
      / \(a: is required; b: is required; c: is required; 2 more\)\.$/,
    )
  })

  test('says what is long in part, and nothing that steers a terminal or ends a line of a log', () => {
    const long = '\u{1f600}'.repeat(20_000)
    const details = { [long]: 'unknown field', 'a\nb\u001b[2J\u202e\u2028': 'unknown field' }
    const { message, details: kept } = new Refusal('INVALID_PARAMETERS', { details })
    expect(message).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u)
    expect(message).toMatch(
      / \(\u{1f600}{500}\.\.\.: unknown field; a\?b\?\[2J\?\?: unknown field\)\.$/u,
    )
    expect(kept).toBe(details)
    for (const name of Object.keys(details)) {
      expect(isSaid(message, name, 'unknown field')).toBe(false)
    }
  })

  test('says no detail whose name or rule is only a part of another', () => {
    const details = {
      'limits[0].asset': 'is required',
      amount: 'must have at least 10 characters',
      to: 'is required',
      asset: 'is required',
    }
    const { message } = new Refusal('INVALID_PARAMETERS', { details })
    const said = Object.entries(details).map(([name, rule]) => isSaid(message, name, rule))
    expect(said).toEqual([true, true, true, false])
    expect(isSaid(message, 'amount', 'must have at least 1')).toBe(false)
  })

  test('says the scope that a key lacks, and what a wallet has', () => {
    expect(new Refusal('FORBIDDEN', { details: { scope: 'needs write' } }).message).toMatch(
      / this endpoint \(scope: needs write\)\.$/,
    )
    const details = { required: '0.51', available: '0.2' }
    expect(new Refusal('INSUFFICIENT_BALANCE', { details }).message).toMatch(
      / \(required: 0\.51; available: 0\.2\)\.$/,
    )
  })

  test.each([
    ['without details', new Refusal('NOT_FOUND'), 'There is nothing here under this name.'],
    [
      'with words of its own',
      new Refusal('NOT_FOUND', { message: 'Gone.', details: { a: 'b' } }),
      'Gone.',
    ],
    [
      'whose details are no text',
      new Refusal('POLICY_REFUSED', { details: { left: { perDay: '1' } } }),
      "The wallet's spending policy refuses this payment.",
    ],
    [
      'whose details are facts of a payment',
      new Refusal('DUPLICATE_SETTLEMENT', { details: { paymentId: 'pay_1' } }),
      'This proof has been used.',
    ],
  ])('stays as it is %s', (_, refusal, message) => {
    expect(refusal.message).toBe(message)
  })
})
