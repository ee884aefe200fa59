import { expect, test } from 'vitest'
import { openBlockSpan } from './block-span.ts'

test('all that is wanted is asked for before any head is known', () => {
  expect(openBlockSpan().likely(5n, 51)).toBe(51)
})

test('no more is asked for than there can be, and never nothing', () => {
  const span = openBlockSpan()
  span.noteHead(100n)
  expect([span.likely(100n, 51), span.likely(90n, 51), span.likely(1n, 51)]).toEqual([3, 13, 51])
  expect([span.likely(101n, 51), span.likely(200n, 51), span.likely(100n, 1)]).toEqual([2, 2, 1])
})

test('blocks that were shown count, so that whoever reads on gets on without a head', () => {
  const span = openBlockSpan()
  span.noteHead(100n)
  span.noteBlock(102n)
  expect(span.likely(102n, 51)).toBe(3)
  // A node that lags behind, or a shorter branch: its own head is what can be asked of it.
  span.noteHead(99n)
  expect(span.likely(99n, 51)).toBe(3)
})
