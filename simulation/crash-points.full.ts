import { describe, test } from 'vitest'
import { BLOWS } from './crash-points.ts'
import { scenarios } from './scenarios.ts'
import { expectMadeOnce } from './test-crash-points.ts'

describe('is made once, whichever step is struck and how:', () => {
  test.each(scenarios)('$name', { timeout: 1_200_000 }, (scenario) =>
    expectMadeOnce(scenario, BLOWS),
  )
})
