import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import {
  assertBalanced,
  correction,
  funding,
  hold,
  overdraws,
  ownFee,
  post,
  release,
} from './entry.ts'
import type { Hold, LedgerTransfer } from './entry.ts'

const network = parseNetworkId('eip155:84532')
if (!network) throw new Error('not a network')
const place = {
  accountId: newId(systemRandom, 'acct'),
  walletId: newId(systemRandom, 'wal'),
  network,
  asset: 'native',
}
const holding = (amount: bigint): Hold => ({
  ...place,
  paymentId: newId(systemRandom, 'pay'),
  amount,
})
const positive = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })
const lineOf = ({ lines }: LedgerTransfer, kind: string) =>
  lines.find((line) => line.kind === kind)?.amount ?? 0n

describe('ledger transfers', () => {
  test('a hold and its post give every unit to the world, the network or back', () => {
    fc.assert(
      fc.property(positive, fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (amount, a, b) => {
        const moved = a % (amount + 1n)
        const fee = b % (amount - moved + 1n)
        const held = holding(amount)
        const closing = post(held, { moved, fee })
        assertBalanced(closing)
        expect(lineOf(hold(held), 'held') + lineOf(closing, 'held')).toBe(0n)
        expect(lineOf(closing, 'external')).toBe(moved)
        expect(lineOf(closing, 'fees')).toBe(fee)
        expect(lineOf(closing, 'available')).toBe(amount - moved - fee)
      }),
    )
  })

  test('a void gives back exactly what was held', () => {
    fc.assert(
      fc.property(positive, (amount) => {
        const held = holding(amount)
        for (const kind of ['available', 'held']) {
          expect(lineOf(hold(held), kind) + lineOf(release(held), kind)).toBe(0n)
        }
      }),
    )
  })

  test('a payment that moves more than its hold is a bug, not a loan', () => {
    expect(() => post(holding(10n), { moved: 11n, fee: 0n })).toThrow('more than its hold')
    expect(() => post(holding(10n), { moved: -1n, fee: 1n })).toThrow('not negative')
    expect(() => post(holding(10n), { moved: 9n, fee: -1n })).toThrow('not negative')
  })

  test('what a network took above a hold leaves what is available, and only that may take it below zero', () => {
    const dear = post(holding(10n), { moved: 8n, fee: 5n })
    assertBalanced(dear)
    expect([lineOf(dear, 'available'), lineOf(dear, 'fees'), overdraws(dear)]).toEqual([
      -3n,
      5n,
      3n,
    ])
    expect(overdraws(post(holding(10n), { moved: 8n, fee: 2n }))).toBe(0n)
    expect(overdraws(ownFee(place, 4n))).toBe(4n)
    for (const other of [hold(holding(10n)), correction(place, 4n), funding(place, 4n)]) {
      expect(overdraws(other)).toBe(0n)
    }
  })

  test.each([0n, -1n])('%d is neither funded nor held', (amount) => {
    expect(() => funding(place, amount)).toThrow('positive')
    expect(() => hold(holding(amount))).toThrow('positive')
  })

  test('lines that do not sum to zero, say nothing, or stand alone are refused', () => {
    const one = { kind: 'available', amount: 5n } as const
    expect(() => assertBalanced({ lines: [one, { kind: 'held', amount: -4n }] })).toThrow('zero')
    expect(() => assertBalanced({ lines: [one] })).toThrow('two lines')
    const lines = [one, { kind: 'held', amount: -5n }, { kind: 'fees', amount: 0n }] as const
    expect(() => assertBalanced({ lines })).toThrow('no line is zero')
    expect(() => assertBalanced({ lines: [one, { ...one, amount: -5n }] })).toThrow('per kind')
  })
})
