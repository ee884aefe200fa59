import { expect } from 'vitest'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import { canStrike, payOnce } from './crash-points.ts'
import type { Blow } from './crash-points.ts'
import { openPremises } from './premises.ts'
import type { Scenario } from './scenarios.ts'

/** Lives through a scenario once per step and kind of blow, and expects the payment to be made once, whatever was struck. */
export async function expectMadeOnce(scenario: Scenario, blows: readonly Blow[]): Promise<void> {
  const test = await openTestDatabase()
  const premises = await openPremises(test.url.reveal())
  const broken: string[] = []
  let lived = 0
  try {
    const steps = await payOnce(scenario, premises)
    for (const [index, step] of steps.entries()) {
      for (const kind of blows.filter((blow) => canStrike(step, blow))) {
        lived += 1
        await payOnce(scenario, premises, { at: index + 1, kind }).catch((error: unknown) => {
          broken.push(`${kind} step ${index + 1}, ${step.kind} ${step.label}: ${String(error)}`)
        })
      }
    }
    process.stderr.write(`simulation: ${scenario.name}, ${steps.length} steps, ${lived} blows\n`)
  } finally {
    await premises.close()
    await test.close()
  }
  expect(broken).toEqual([])
}
