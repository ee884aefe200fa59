import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Presentation } from './test-oracle.ts'
import { expectExplained, openCourt } from './test-compare.ts'
import type { Seen } from './test-differences.ts'

/** The same cases every time, so that a rule without a case is a rule for nothing; the full form draws a new seed. */
const SEED = 402
const EVERY_NTH_FIELD = 9
const SEVERAL = { count: 80, seed: SEED, twistsMax: 3 }

/** All that is wrong in a special way, and every ninth of the many fields that are wrong in an ordinary one. */
function fewer(cases: readonly Presentation[]): Presentation[] {
  let field = 0
  return cases.filter(({ name }) => {
    if (!name.includes(' plain;')) return true
    field += 1
    return field % EVERY_NTH_FIELD === 0
  })
}

describe('the reference implementation and this one, over the same chain', () => {
  test.each(['evm', 'solana'] as const)(
    'say the same of a payment, or a rule says why not: %s',
    async (family) => {
      const court = await openCourt(family)
      try {
        const cases = [...fewer(await court.singles()), ...(await court.several(SEVERAL))]
        const seen = await court.judge(cases)
        expect(seen.length).toBeGreaterThan(300)
        expect(seen.filter(({ ours, theirs }) => ours === theirs).length).toBeGreaterThan(100)
        expectExplained(family, seen)
      } finally {
        await court.stop()
      }
    },
    120_000,
  )
})

describe('the comparison', () => {
  const one: Seen = {
    name: 'plain',
    family: 'evm',
    version: 2,
    presented: { paymentPayload: {}, paymentRequirements: {} },
    ours: 'valid',
    theirs: 'valid',
  }

  test('fails on a difference that no rule explains', () => {
    const seen = [{ ...one, theirs: 'invalid_exact_evm_insufficient_balance' }]
    expect(() => expectExplained('evm', seen)).toThrow(/they say invalid_exact_evm_insufficient/)
  })

  test('fails on a rule that explains nothing', () => {
    expect(() => expectExplained('evm', [one])).toThrow(/v of 0 or 1/)
  })

  test('never takes an acceptance of ours for explained by what only refuses', () => {
    const reasons = fc.constantFrom('throws', 'invalid_payload', 'invalid_exact_evm_signature')
    fc.assert(
      fc.property(reasons, (theirs) => {
        expect(() => expectExplained('evm', [{ ...one, theirs }])).toThrow(/we say valid/)
      }),
    )
  })
})
