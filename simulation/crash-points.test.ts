import { describe, test } from 'vitest'
import { scenarios } from './scenarios.ts'
import { expectMadeOnce } from './test-crash-points.ts'

// To die before a step is to die after the one before it: what only memory knew is gone either way.
describe('is made once, whichever step the process dies after:', () => {
  test.each(scenarios.slice(0, 2))('$name', { timeout: 600_000 }, (scenario) =>
    expectMadeOnce(scenario, ['dies after']),
  )
})
