import { beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import { openStandingStill } from './standing-still.ts'
import type { StandingStill } from './standing-still.ts'

const LIMITS = { nodeSilentSeconds: 1_800, nodeSilentGapSecondsMax: 300, nodeStillBlocksMin: 600 }
let now = 0
let changes: [number, boolean][] = []
const clock: Clock = { nowMilliseconds: () => now, sleep: async () => undefined }
const pass = (seconds: number) => {
  now += seconds * 1000
}
const open = (count = 2): StandingStill =>
  openStandingStill({
    ...{ count, clock, limits: LIMITS },
    onChange: (node, isStill) => changes.push([node, isStill]),
  })
const look = (still: StandingStill, ...heights: readonly (bigint | undefined)[]) =>
  still.seen(
    new Map(heights.flatMap((each, node) => (each === undefined ? [] : [[node, each] as const]))),
  )

beforeEach(() => {
  now = 1_000_000_000
  changes = []
})

describe('a node', () => {
  test('that names one height while another goes on stands still after its time, told once, and moves with its first step', () => {
    const still = open()
    look(still, 1_000n, 900n)
    for (let time = 1n; time <= 7n; time += 1n) {
      pass(240)
      look(still, 1_000n + time * 600n, 900n)
    }
    expect(still.standsAt(1)).toBeUndefined()
    for (let time = 8n; time <= 12n; time += 1n) {
      pass(240)
      look(still, 1_000n + time * 600n, 900n)
    }
    expect([still.standsAt(0), still.standsAt(1)]).toEqual([undefined, 900n])
    look(still, 9_000n, 901n)
    expect(still.standsAt(1)).toBeUndefined()
    expect(changes).toEqual([
      [1, true],
      [1, false],
    ])
    for (let time = 1n; time <= 7n; time += 1n) {
      pass(240)
      look(still, 9_000n + time * 600n, 901n)
    }
    expect(still.standsAt(1)).toBeUndefined()
  })

  test('far behind that catches up, or goes on as slowly as a block in half an hour, does not stand', () => {
    const still = open()
    for (let time = 0n; time < 400n; time += 1n) {
      pass(60)
      look(still, 1_000_000n + time * 150n, 5n + time / 25n)
    }
    expect(changes).toEqual([])
  })

  test('is put among those by nobody who names one height of the far future: that one stands soon', () => {
    const still = open(3)
    look(still, 100n, 100n, 100n)
    for (let time = 1n; time <= 20n; time += 1n) {
      pass(200)
      look(still, 100n + time * 500n, 110n + time * 490n, 10n ** 15n)
    }
    expect([0, 1, 2].map((node) => still.standsAt(node))).toEqual([
      undefined,
      undefined,
      10n ** 15n,
    ])
    expect(changes).toEqual([[2, true]])
  })

  test('does not stand for one leap of another, nor for a few blocks of it', () => {
    const still = open()
    look(still, 100n, 100n)
    pass(200)
    look(still, 10n ** 12n, 100n)
    for (let time = 0; time < 50; time += 1) {
      pass(200)
      look(still, 10n ** 12n, 100n)
    }
    expect(changes).toEqual([])
    const slow = open()
    for (let time = 0n; time < 50n; time += 1n) {
      pass(200)
      look(slow, 100n + time, 100n)
    }
    expect(changes).toEqual([])
  })

  test('does not stand on a chain that makes no blocks, so never do all', () => {
    const still = open(3)
    for (let time = 0; time < 100; time += 1) {
      pass(60)
      look(still, 500n, 500n, 499n)
    }
    for (let time = 1n; time <= 100n; time += 1n) {
      pass(60)
      look(still, 500n + time * 100n, 500n, undefined)
    }
    for (let time = 1n; time <= 100n; time += 1n) {
      pass(60)
      look(still, 10_500n, 500n, 499n)
    }
    expect([0, 1, 2].map((node) => still.standsAt(node))).toEqual([undefined, 500n, undefined])
  })

  test('stands by no clock that is set and no machine that slept', () => {
    const still = open()
    look(still, 1_000n, 900n)
    for (const [seconds, height] of [
      [100_000, 2_000n],
      [100_000, 3_000n],
      [-500_000, 4_000n],
      [299, 5_000n],
      [299, 6_000n],
      [299, 7_000n],
      [299, 8_000n],
    ] as const) {
      pass(seconds)
      look(still, height, 900n)
    }
    expect(still.standsAt(1)).toBeUndefined()
    pass(299)
    look(still, 9_000n, 900n)
    expect(still.standsAt(1)).toBe(900n)
  })

  test('goes on for as long as it is seen to move', () => {
    const still = open()
    const both = () => [still.goesOn(0), still.goesOn(1)]
    look(still, 100n, 100n)
    expect(both()).toEqual([false, false])
    pass(5)
    look(still, 101n, 100n)
    expect(both()).toEqual([true, false])
    pass(300)
    expect(both()).toEqual([true, false])
    pass(1)
    expect(both()).toEqual([false, false])
    pass(-10)
    look(still, 101n, 101n)
    expect(both()).toEqual([true, true])
    pass(-1_000)
    expect(both()).toEqual([false, false])
  })

  test('that names a lower height goes on from there', () => {
    const still = open()
    look(still, 1_000n, 10n ** 12n)
    for (let time = 1n; time <= 40n; time += 1n) {
      pass(200)
      look(still, 1_000n + time * 500n, 900n + time * 500n)
    }
    expect(changes).toEqual([])
  })
})
