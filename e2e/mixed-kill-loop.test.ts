import { expect, test } from 'vitest'
import { runMixedKillLoop } from './mixed/mixed-kill-loop.ts'

const SECONDS = 10

test(
  `${SECONDS} seconds of blind kills, of everything at once: nothing lost, nothing twice`,
  { timeout: 600_000 },
  async () => {
    const seed = Date.now() % 2 ** 32
    const report = await runMixedKillLoop({ seed, seconds: SECONDS, pauseMilliseconds: 1_500 })
    console.info(`mixed kill loop: ${JSON.stringify({ ...report, broken: undefined })}`)
    expect(report.broken, `seed ${seed}`).toBe('')
  },
)
