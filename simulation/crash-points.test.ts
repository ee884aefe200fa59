import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { BLOWS, canStrike, payOnce } from './crash-points.ts'
import { openSimulationDatabase } from './database.ts'
import type { SimulationDatabase } from './database.ts'
import { scenarios } from './scenarios.ts'

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

test.each(scenarios)('$name', { timeout: 300_000 }, async (scenario) => {
  const t0 = performance.now()
  const steps = await payOnce(scenario, simulation)
  console.log(scenario.name, steps.length, Math.round(performance.now() - t0))

  if (!process.env['BLOWS']) return
  const broken: string[] = []
  let runs = 0
  for (const [index, step] of steps.entries()) {
    for (const kind of BLOWS) {
      if (!canStrike(step, kind)) continue
      runs += 1
      await payOnce(scenario, simulation, { at: index + 1, kind }).catch((error: unknown) => {
        broken.push(`${kind} step ${index + 1} (${step.kind} ${step.label}): ${String(error)}`)
      })
    }
  }
  console.log(runs, 'runs', Math.round(performance.now() - t0))
  expect(broken).toEqual([])
})
