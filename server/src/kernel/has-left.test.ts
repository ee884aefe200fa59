import { expect, test } from 'vitest'
import { hasLeft } from './has-left.ts'

test.each([
  ['at its beginning', 1_000, true],
  ['within it', 1_400, true],
  ['at its end', 1_500, false],
  ['behind it', 9_000, false],
  ['before it began, when only a clock that was set back can be there', 999, false],
])('a stretch of time from 1,000 to 1,500, %s', (_when, now, left) => {
  expect(hasLeft(1_500, now, 500)).toBe(left)
})
