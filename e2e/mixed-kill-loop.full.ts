import { expect, test } from 'vitest'
import { runMixedKillLoop } from './mixed/mixed-kill-loop.ts'

const SECONDS = 240
const KINDS = ['build', 'purchase', 'settle', 'trade'] as const

test(
  `${SECONDS} seconds of blind kills, of everything at once: nothing lost, nothing twice`,
  { timeout: 900_000 },
  async () => {
    const seed = Date.now() % 2 ** 32
    const report = await runMixedKillLoop({ seed, seconds: SECONDS, pauseMilliseconds: 5_000 })
    console.info(`mixed kill loop: ${JSON.stringify({ ...report, broken: undefined })}`)
    expect(report.broken, `seed ${seed}`).toBe('')
    const kinds = Object.entries(report.wants)
    expect(kinds.map(([kind]) => kind).toSorted()).toEqual([...KINDS])
    for (const [kind, [, done]] of kinds) expect(done, kind).toBeGreaterThan(0)
    const repeated = kinds.reduce((sum, [, [, , again]]) => sum + again, 0)
    expect(repeated, 'what a kill interrupted').toBeGreaterThan(0)
  },
)
