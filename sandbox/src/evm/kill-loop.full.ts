import { expect, test } from 'vitest'
import { runKillLoop } from '../../../e2e/actors/sandbox-kill-loop.ts'

const KILLS = 60

test(`${KILLS} kills take back no final block`, { timeout: 300_000 }, async () => {
  const report = await runKillLoop({ kills: KILLS, seed: Date.now() })
  expect(report.broken, `seed ${report.seed}`).toEqual([])
  expect(report.finalBlocksChecked).toBeGreaterThan(KILLS)
})
