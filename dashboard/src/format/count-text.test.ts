import { expect, test } from 'vitest'
import { countText } from './count-text.ts'

test('one thing is one, and none and many are not', () => {
  expect([0, 1, 2, 1_200].map((count) => countText(count, 'block'))).toEqual([
    ...['0 blocks', '1 block', '2 blocks', '1,200 blocks'],
  ])
})
