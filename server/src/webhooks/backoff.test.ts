import { expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { waitAfter } from './backoff.ts'

const least = { bytes: (length: number) => new Uint8Array(length) }
const most = { bytes: (length: number) => new Uint8Array(length).fill(255) }

/** The waits of a delivery that always fails at once, milliseconds. */
function waits(random: typeof least): readonly number[] {
  const all: number[] = []
  for (let age = 0; ;) {
    const wait = waitAfter(all.length + 1, age, random)
    if (wait === undefined) return all
    all.push(wait)
    age += wait
  }
}

test('a delivery is tried after about 5 s, 30 s, 2 min, 10 min, 1 h, then every 6 h, for 3 days', () => {
  const hour = 3_600_000
  expect(waits(least).slice(0, 7)).toEqual([
    5_000,
    30_000,
    120_000,
    600_000,
    hour,
    6 * hour,
    6 * hour,
  ])
  for (const random of [least, most]) {
    const all = waits(random)
    const total = all.reduce((sum, wait) => sum + wait, 0)
    expect(total).toBeLessThanOrEqual(limits.webhookRetryHours * hour)
    expect(total).toBeGreaterThan((limits.webhookRetryHours - 7) * hour)
    expect(all.length).toBeGreaterThanOrEqual(14)
  }
})

test('waits are spread by a tenth at most', () => {
  for (const [index, wait] of waits(most).entries()) {
    const shortest = waits(least)[index] ?? wait
    expect(wait).toBeGreaterThan(shortest)
    expect(wait).toBeLessThanOrEqual(shortest * 1.1)
  }
})
