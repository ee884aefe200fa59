import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectExplained, openCourt } from './test-compare.ts'

const COUNT = 4_000
const SEED = Number(process.env['FLORIN_TEST_SEED'] ?? randomInt(2 ** 31))

test.each(['evm', 'solana'] as const)(
  'thousands of payments with several things wrong: %s',
  async (family) => {
    process.stdout.write(`differential ${family}: seed ${SEED} (FLORIN_TEST_SEED)\n`)
    const court = await openCourt(family)
    try {
      const seen = [...(await court.judge(await court.singles()))]
      // In parts: what is signed for a minute must be judged within it.
      for (let part = 0; part < 10; part += 1) {
        const pick = { count: COUNT / 10, seed: SEED + part, twistsMax: 4 }
        seen.push(...(await court.judge(await court.several(pick))))
      }
      expect(seen.length).toBeGreaterThan(COUNT)
      expectExplained(family, seen)
    } finally {
      await court.stop()
    }
  },
  600_000,
)
