import { expect, test } from 'vitest'
import { limitForUsed, swapGasLimit } from './swap-gas.ts'

/** Two words of a pool that were zero before, cold, beyond what rewriting them takes in a trial: nothing. */
const FIRST_PRICE_GAS = 2n * 22_100n

test('a limit covers the first price that a young pool notes, which no trial in the second of its birth has seen', () => {
  for (const seen of [60_000n, 91_000n, 105_000n, 400_000n]) {
    expect(swapGasLimit(seen, new Uint8Array(200), 1n)).toBeGreaterThan(seen + FIRST_PRICE_GAS)
    // A fifth of what was used may have been given back in the trial.
    expect(limitForUsed(seen, 1n)).toBeGreaterThan((seen * 5n) / 4n + FIRST_PRICE_GAS)
    expect(limitForUsed(seen, 2n)).toBeGreaterThan((seen * 5n) / 4n + 2n * FIRST_PRICE_GAS)
    expect(limitForUsed(seen, 0n)).toBeGreaterThan((seen * 5n) / 4n)
  }
})
