import { expect, test } from 'vitest'
import { tellAll } from './tell-all.ts'

test.each([0, 1, 31, 32, 33, 100])(
  '%s readers are told once each in order, and none before it was looked at',
  (count) => {
    const readers = Array.from({ length: count }, (_, index) => index)
    const looked: number[] = []
    const told: number[] = []
    let aheadMax = 0
    tellAll(
      readers,
      (reader) => looked.push(reader),
      (reader) => {
        expect(looked).toContain(reader)
        aheadMax = Math.max(aheadMax, looked.length - told.length)
        told.push(reader)
      },
    )
    expect(told).toEqual(readers)
    expect(looked).toEqual(readers)
    expect(aheadMax).toBe(Math.min(count, 32))
  },
)
