import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priceOf, reservesAt } from './curve.ts'

const some = fc.bigInt({ min: 1n, max: 10n ** 19n })

describe('the curve', () => {
  test('never gives all, and whatever it gives the product of what it has does not shrink', () => {
    fc.assert(
      fc.property(some, some, some, (amountIn, from, to) => {
        const { amountOut, priceImpactBasisPoints } = priceOf(amountIn, from, to)
        expect(amountOut).toBeLessThan(to)
        expect((from + amountIn) * (to - amountOut)).toBeGreaterThanOrEqual(from * to)
        expect(priceImpactBasisPoints).toBeLessThan(10_000n)
      }),
    )
  })

  test('gives nobody more back than was paid, whatever the tokens that are left', () => {
    const start = { lamports: 10n ** 13n, tokens: 10n ** 15n }
    const held = fc.bigInt({ min: 10n ** 9n, max: 2n * 10n ** 15n })
    fc.assert(
      fc.property(held, fc.bigInt({ min: 1n, max: 10n ** 12n }), (tokens, paid) => {
        const before = reservesAt(tokens, start, 'buy')
        const { amountOut } = priceOf(paid, before.lamports, before.tokens)
        const after = reservesAt(tokens - amountOut, start, 'sell')
        expect(priceOf(amountOut, after.tokens, after.lamports).amountOut).toBeLessThanOrEqual(paid)
      }),
    )
  })

  test('has no price where nothing is left, or nothing is asked', () => {
    const start = { lamports: 100n, tokens: 100n }
    expect(reservesAt(0n, start, 'buy')).toEqual({ lamports: 0n, tokens: 0n })
    expect(priceOf(5n, 0n, 0n).amountOut).toBe(0n)
    expect(priceOf(0n, 100n, 100n).amountOut).toBe(0n)
  })
})
