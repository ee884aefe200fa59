import { expect, test } from 'vitest'
import { stepAt, stepByKey } from './plot-step.ts'

const times = [10, 20, 30]

test('a moment is of the stretch that it is in, or of the nearest point', () => {
  const at = (kind: 'steps' | 'points') =>
    [0, 10, 14, 16, 20, 29, 30, 99].map((moment) => stepAt(times, moment, kind))
  expect(at('steps')).toEqual([0, 0, 0, 0, 1, 1, 2, 2])
  expect(at('points')).toEqual([0, 0, 0, 1, 1, 2, 2, 2])
  expect(stepAt([], 5, 'points')).toBeUndefined()
})

test('keys lead from step to step and never over an end', () => {
  const from = (step: number) =>
    ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown', 'Tab'].map((key) =>
      stepByKey(key, step, 25),
    )
  expect(from(0)).toEqual([0, 1, 0, 24, 10, 0, undefined])
  expect(from(24)).toEqual([23, 24, 0, 24, 24, 14, undefined])
})
