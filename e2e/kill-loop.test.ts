import { expect, test } from 'vitest'
import { runKillLoop } from './kill-loop.ts'

const SECONDS = 10

test(
  `${SECONDS} seconds of blind kills: nothing lost, nothing twice`,
  { timeout: 300_000 },
  async () => {
    const seed = Date.now() % 2 ** 32
    const report = await runKillLoop({
      seed,
      seconds: SECONDS,
      workers: 12,
      pauseMilliseconds: 700,
    })
    console.info(`kill loop: ${JSON.stringify({ ...report, broken: undefined })}`)
    expect(report.broken, `seed ${seed}`).toBe('')
    expect(report.repeated, 'payments that a kill interrupted').toBeGreaterThan(0)
    expect(report.onSolana, 'payments over Solana').toBeGreaterThan(0)
  },
)
