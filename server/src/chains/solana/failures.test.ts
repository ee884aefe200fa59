import { describe, expect, test } from 'vitest'
import { SAYINGS, TROUBLES } from './test-sayings.ts'
import { simulationProblemOf, verdictOf } from './failures.ts'

describe('what a node says of a transaction', () => {
  test.each(SAYINGS)('%d "%s"', (code, message, verdict) => {
    expect(verdictOf({ code, message })).toEqual(verdict)
  })

  test.each(TROUBLES)('%d "%s" decides nothing', (code, message) => {
    expect(verdictOf({ code, message })).toEqual({ kind: 'unknown', reason: `${code} ${message}` })
  })
})

describe('what a simulation says', () => {
  const effects = new Set([1, 2])

  test.each<[unknown, string]>([
    ['AccountNotFound', 'short'],
    ['InsufficientFundsForFee', 'short'],
    ['InvalidAccountForFee', 'short'],
    [{ InsufficientFundsForRent: { account_index: 0 } }, 'short'],
    [{ InstructionError: [2, { Custom: 1 }] }, 'short'],
    [{ InstructionError: [2, { Custom: 17 }] }, 'refused'],
    [{ InstructionError: [1, 'IllegalOwner'] }, 'refused'],
    [{ InstructionError: [2, 'InvalidAccountData'] }, 'refused'],
    [{ InstructionError: [0, { Custom: 17 }] }, 'unclear'],
    [{ InstructionError: [3, 'InvalidInstructionData'] }, 'unclear'],
    [{ InstructionError: [] }, 'unclear'],
    [{ InstructionError: 2 }, 'unclear'],
    ['BlockhashNotFound', 'unclear'],
    ['AlreadyProcessed', 'unclear'],
    ['AccountInUse', 'unclear'],
    ['ProgramAccountNotFound', 'unclear'],
    ['ClusterMaintenance', 'unclear'],
    ['SanitizeFailure', 'unclear'],
    [{ ProgramExecutionTemporarilyRestricted: { account_index: 3 } }, 'unclear'],
    [undefined, 'unclear'],
    ['', 'unclear'],
    [7, 'unclear'],
  ])('%j is %s', (error, problem) => {
    expect(simulationProblemOf(error, effects)).toBe(problem)
  })
})
