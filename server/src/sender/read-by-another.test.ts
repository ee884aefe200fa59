import { expect, test } from 'vitest'
import { openReadByAnother } from './read-by-another.ts'

test('an instance that waits counts from the last head that the other has read', () => {
  const readAt = openReadByAnother()
  const at = (nowMilliseconds: number, height: bigint | null, headHeight: bigint) =>
    readAt({ height, headHeight, nowMilliseconds })
  expect(at(0, null, 100n)).toBe(null)
  expect(at(10, 100n, 100n)).toBe(10)
  // Always a block behind the newest that was shown here, as with quick blocks.
  expect(at(20, 100n, 101n)).toBe(10)
  expect(at(30, 101n, 102n)).toBe(20)
  expect(at(40, 102n, 103n)).toBe(30)
  // It reads no more, or less than comes.
  expect(at(50, 102n, 104n)).toBe(30)
  expect(at(90, 102n, 108n)).toBe(30)
  expect(at(100, 103n, 109n)).toBe(40)
  expect(at(110, 110n, 110n)).toBe(110)
})

test('a chain without new blocks is read', () => {
  const readAt = openReadByAnother()
  for (const nowMilliseconds of [0, 60_000, 3_600_000]) {
    expect(readAt({ height: 7n, headHeight: 7n, nowMilliseconds })).toBe(nowMilliseconds)
  }
})
