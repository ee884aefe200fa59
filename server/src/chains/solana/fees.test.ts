import { baseUnits } from '@florin/wire/amount.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  automaticPrice,
  fixedPrice,
  priceWithin,
  priorityFeeOf,
  raisedPrice,
  recentPriceRead,
} from './fees.ts'

const POLICY = {
  feePerGasMax: 1_000_000n,
  tipPerGasDefault: 1_000n,
  ceilingMultiple: 4n,
  bumpAfterBlocks: 3,
}
const units = fc.bigInt({ min: 1n, max: 1_400_000n })
const lamports = fc.bigInt({ min: 0n, max: 10n ** 10n })
const price = fc.bigInt({ min: 0n, max: 2n ** 63n })

describe('the price per compute unit', () => {
  test.each([
    [0n, 1_000n],
    [1_000n, 1_000n],
    [5_000n, 5_000n],
    [10n ** 12n, 1_000_000n],
  ])('is within the policy when the network asks %d', (recent, expected) => {
    expect(automaticPrice(recent, POLICY)).toBe(expected)
  })

  test('of a caller never costs more than the total given, and less by under a price step', () => {
    fc.assert(
      fc.property(lamports, units, (total, limit) => {
        const pricePerUnit = fixedPrice(baseUnits(total), limit)
        expect(priorityFeeOf({ units: limit, pricePerUnit })).toBeLessThanOrEqual(total)
        const next = (limit * (pricePerUnit + 1n)) / 1_000_000n
        expect(next).toBeGreaterThanOrEqual(total)
      }),
    )
  })

  test('costs a whole lamport for each begun one', () => {
    expect(priorityFeeOf({ units: 1_733n, pricePerUnit: 1_000n })).toBe(2n)
    expect(priorityFeeOf({ units: 1_000n, pricePerUnit: 1_000n })).toBe(1n)
    expect(priorityFeeOf({ units: 1_000n, pricePerUnit: 0n })).toBe(0n)
  })

  test('within some lamports stays within them', () => {
    fc.assert(
      fc.property(lamports, units, (most, limit) => {
        const pricePerUnit = priceWithin(most, limit)
        expect(priorityFeeOf({ units: limit, pricePerUnit })).toBeLessThanOrEqual(most)
      }),
    )
  })

  test('of a renewal at least doubles where policy and ceiling have room, and never leaves them', () => {
    fc.assert(
      fc.property(price, price, units, lamports, (before, recent, limit, most) => {
        const raised = raisedPrice({ units: limit, pricePerUnit: before }, recent, POLICY, most)
        expect(raised).toBeLessThanOrEqual(POLICY.feePerGasMax)
        expect(priorityFeeOf({ units: limit, pricePerUnit: raised })).toBeLessThanOrEqual(most)
        const hasRoom =
          before * 2n <= POLICY.feePerGasMax && before * 2n <= priceWithin(most, limit)
        if (hasRoom) expect(raised).toBeGreaterThanOrEqual(before * 2n)
      }),
    )
  })
})

describe('what recent slots asked', () => {
  const recent = (...fees: readonly unknown[]): unknown =>
    fees.map((prioritizationFee, slot) => ({ slot, prioritizationFee }))

  test('is the 75th percentile, and nothing where there were none', () => {
    expect(recentPriceRead.parse(recent(4, 1, 3, 2))).toBe(3n)
    expect(recentPriceRead.parse(recent(0, 0, 0, 900))).toBe(0n)
    expect(recentPriceRead.parse(recent(7))).toBe(7n)
    expect(recentPriceRead.parse(recent())).toBe(0n)
    expect(recentPriceRead.parse(recent(2n ** 63n))).toBe(2n ** 63n)
  })

  test.each([null, {}, [1], recent('1'), recent(-1), recent(0.5)])(
    'is not read from %j',
    (value) => {
      expect(() => recentPriceRead.parse(value)).toThrow('malformed')
    },
  )
})
