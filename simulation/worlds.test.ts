import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { openSimulationDatabase } from './database.ts'
import type { SimulationDatabase } from './database.ts'
import { runWorld } from './run-world.ts'

let database: TestDatabase
let simulation: SimulationDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  simulation = await openSimulationDatabase(database.url.reveal())
})
afterAll(async () => {
  await simulation.close()
  await database.close()
})

test('worlds', { timeout: 300_000 }, async () => {
  const from = Number(process.env['FROM'] ?? 1)
  const count = Number(process.env['COUNT'] ?? 1)
  for (let seed = from; seed < from + count; seed += 1) {
    const begun = performance.now()
    const report = await runWorld(seed, simulation, process.env['FULL_TRACE'] !== undefined)
    const took = Math.round(performance.now() - begun)
    console.log(
      seed,
      took,
      'ms',
      report.steps,
      report.payments,
      report.traceHash.slice(0, 8),
      report.broken ?? '',
    )
    if (process.env['FULL_TRACE'])
      (await import('node:fs')).writeFileSync(
        process.env['FULL_TRACE'] + seed,
        report.trace.join('\n'),
      )
    if (report.broken && process.env['TRACE']) console.log(report.trace.join('\n'))
  }
  expect(1).toBe(1)
})
