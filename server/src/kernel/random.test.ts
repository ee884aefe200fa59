import { expect, test } from 'vitest'
import { systemRandom } from './random.ts'

test.each([1, 16, 24, 25, 32, 5_000])(
  '%i bytes are drawn as many as asked for, and never again',
  (length) => {
    const count = length === 1 ? 1 : 2_000
    const seen = new Set<string>()
    for (let draw = 0; draw < count; draw += 1) {
      const bytes = systemRandom.bytes(length)
      expect(bytes).toHaveLength(length)
      seen.add(Buffer.from(bytes).toString('hex'))
    }
    expect(seen.size).toBe(count)
  },
)

test('what was drawn is its owner’s alone', () => {
  const drawn = systemRandom.bytes(16)
  const before = Buffer.from(drawn)
  drawn.fill(0)
  for (let draw = 0; draw < 600; draw += 1) systemRandom.bytes(16)
  expect(before.every((byte) => byte === 0)).toBe(false)
  expect(drawn.every((byte) => byte === 0)).toBe(true)
  expect(drawn.buffer.byteLength).toBe(16)
})

test('every value of a byte comes up about as often as every other', () => {
  const counts = new Array<number>(256).fill(0)
  const draws = 16_000
  for (let draw = 0; draw < draws; draw += 1) {
    for (const byte of systemRandom.bytes(16)) counts[byte] = (counts[byte] ?? 0) + 1
  }
  // A thousand of each are expected; ten standard deviations are 316.
  expect(Math.min(...counts)).toBeGreaterThan(684)
  expect(Math.max(...counts)).toBeLessThan(1_316)
})
