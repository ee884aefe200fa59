import { baseUnits } from '@florin/wire/amount.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import { firstFees, raisedFees } from './fees.ts'
import { gasLimit, plainGas } from './gas.ts'

const POLICY = {
  feePerGasMax: 10n ** 12n,
  tipPerGasDefault: 1_000_000n,
  ceilingMultiple: 4n,
  bumpAfterBlocks: 3,
}
const perGas = fc.bigInt({ min: 0n, max: POLICY.feePerGasMax })
const markets = fc.record({ baseFeePerGas: perGas, suggestedTipPerGas: perGas })
const gases = fc.bigInt({ min: 21_000n, max: 30_000_000n })

describe('the first offer', () => {
  test('never passes the policy, and never tips more than it pays', () => {
    fc.assert(
      fc.property(markets, gases, fc.option(perGas, { nil: undefined }), (market, gas, fee) => {
        const priority = fee === undefined ? undefined : baseUnits(fee * 1_000n)
        const { maxFeePerGas, maxPriorityFeePerGas } = firstFees(market, gas, POLICY, priority)
        expect(maxFeePerGas).toBeLessThanOrEqual(POLICY.feePerGasMax)
        expect(maxPriorityFeePerGas).toBeLessThanOrEqual(maxFeePerGas)
        expect(maxFeePerGas).toBeGreaterThanOrEqual(market.baseFeePerGas)
        if (priority !== undefined) {
          expect(maxPriorityFeePerGas * gas).toBeLessThanOrEqual(priority)
        }
      }),
    )
  })

  test('is twice the base fee and the tip', () => {
    const market = { baseFeePerGas: 100n, suggestedTipPerGas: 2_000_000n }
    expect(firstFees(market, 21_000n, POLICY)).toEqual({
      maxFeePerGas: 2_000_200n,
      maxPriorityFeePerGas: 2_000_000n,
    })
  })

  test("tips the configured least when the node suggests less, and the caller's wish when there is one", () => {
    const market = { baseFeePerGas: 100n, suggestedTipPerGas: 1n }
    expect(firstFees(market, 21_000n, POLICY).maxPriorityFeePerGas).toBe(1_000_000n)
    const wish = baseUnits(21_000n * 5n + 20_999n)
    expect(firstFees(market, 21_000n, POLICY, wish).maxPriorityFeePerGas).toBe(5n)
    expect(firstFees(market, 21_000n, POLICY, baseUnits(0n)).maxPriorityFeePerGas).toBe(0n)
  })

  test('is not made when the base fee alone is above the policy', () => {
    const market = { baseFeePerGas: POLICY.feePerGasMax + 1n, suggestedTipPerGas: 1n }
    expect(() => firstFees(market, 21_000n, POLICY)).toThrow(NodeFailure)
  })
})

describe('a raised offer', () => {
  test('raises both fees by 12.5 % or more within the ceiling, or is not made', () => {
    fc.assert(
      fc.property(markets, markets, perGas, (before, now, ceiling) => {
        const first = firstFees(before, 21_000n, POLICY)
        const next = raisedFees(first, now, ceiling)
        if (next === undefined) {
          expect(first.maxFeePerGas * 9n).toBeGreaterThan((ceiling - 1n) * 8n)
          return
        }
        expect(next.maxFeePerGas * 8n).toBeGreaterThanOrEqual(first.maxFeePerGas * 9n)
        expect(next.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(
          first.maxPriorityFeePerGas * 9n,
        )
        expect(next.maxPriorityFeePerGas).toBeGreaterThan(first.maxPriorityFeePerGas)
        expect(next.maxFeePerGas).toBeLessThanOrEqual(ceiling)
        expect(next.maxPriorityFeePerGas).toBeLessThanOrEqual(next.maxFeePerGas)
        const wanted = 2n * now.baseFeePerGas + next.maxPriorityFeePerGas
        const affordable = wanted < ceiling ? wanted : ceiling
        expect(next.maxFeePerGas).toBeGreaterThanOrEqual(affordable)
      }),
    )
  })

  test('raises even a tip of nothing, because nodes want a higher number', () => {
    const market = { baseFeePerGas: 0n, suggestedTipPerGas: 0n }
    const fees = { maxFeePerGas: 8n, maxPriorityFeePerGas: 0n }
    expect(raisedFees(fees, market, 9n)).toEqual({ maxFeePerGas: 9n, maxPriorityFeePerGas: 1n })
    expect(raisedFees(fees, market, 8n)).toBeUndefined()
  })
})

describe('gas', () => {
  test('of a plain transfer is exact, with and without data', () => {
    expect(plainGas(new Uint8Array())).toBe(21_000n)
    expect(plainGas(new Uint8Array(36).fill(1))).toBe(21_000n + 36n * 40n)
    expect(plainGas(new Uint8Array(36))).toBe(21_000n + 36n * 10n)
    expect(gasLimit(21_000n, new Uint8Array())).toBe(21_000n)
  })

  test('of everything else has a fifth on top, rounded up', () => {
    expect(gasLimit(21_001n, new Uint8Array())).toBe(21_001n + 4_201n)
    expect(gasLimit(50_000n, new Uint8Array())).toBe(60_000n)
  })
})
