import { expect, test } from 'vitest'
import { regressions } from './regressions.ts'
import { openSeries } from './series.ts'
import { expectKept, tell } from './test-worlds.ts'

const REPLAY = process.env['FLORIN_SIMULATION_SEED']
const COUNT = Number(process.env['FLORIN_SIMULATION_SEEDS'] ?? 300)

test.runIf(REPLAY !== undefined)('one world, written down', async () => {
  const { broken } = await tell(Number(REPLAY))
  expect(broken).toBeUndefined()
})

test.runIf(REPLAY === undefined)(
  'the same seed is the same world, to the last step',
  { timeout: 240_000 },
  async () => {
    const [one, other] = [await openSeries(), await openSeries()]
    try {
      for (const seed of [1, 2, 3, 4]) {
        const first = await one.run(seed)
        const second = await other.run(seed)
        expect([second.steps, second.traceHash]).toEqual([first.steps, first.traceHash])
      }
    } finally {
      await one.stop()
      await other.stop()
    }
  },
)

test.runIf(REPLAY === undefined)(
  'worlds that once broke a promise keep it',
  { timeout: 120_000 },
  () => expectKept(regressions.map(({ seed }) => seed)),
)

test.runIf(REPLAY === undefined)(
  `every promise is kept in ${COUNT} worlds`,
  { timeout: Math.max(600_000, COUNT * 2_000) },
  () => expectKept(Array.from({ length: COUNT }, (_, index) => 1_000 + index)),
)
