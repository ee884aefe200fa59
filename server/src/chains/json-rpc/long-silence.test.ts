import { beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import { openLongSilence } from './long-silence.ts'
import type { LongSilence } from './long-silence.ts'

const LIMITS = { nodeSilentSeconds: 1_800, nodeSilentGapSecondsMax: 300 }
let now = 0
let changes: [number, boolean][] = []
const clock: Clock = { nowMilliseconds: () => now, sleep: async () => undefined }
const pass = (seconds: number) => {
  now += seconds * 1000
}
const open = (count = 2): LongSilence =>
  openLongSilence({
    ...{ count, clock, limits: LIMITS },
    onChange: (node, isSilent) => changes.push([node, isSilent]),
  })

beforeEach(() => {
  now = 1_000_000_000
  changes = []
})

/** So many questions to the second node, so far apart, of which each is left open in this way, while the first one answers. */
function ask(silence: LongSilence, times: number, seconds: number, end: 'error' | 'failure'): void {
  for (let time = 0; time < times; time += 1) {
    pass(seconds)
    silence.noted({ node: 0, end: 'result' })
    silence.noted({ node: 1, end })
  }
}

describe('a node', () => {
  test.each(['failure', 'error'] as const)(
    'that gives nothing but %s is silent after its time, told once, and speaks with its first result',
    (end) => {
      const silence = open()
      ask(silence, 7, 240, end)
      expect(silence.isSilent(1)).toBe(false)
      ask(silence, 3, 240, end)
      expect([silence.isSilent(0), silence.isSilent(1)]).toEqual([false, true])
      silence.noted({ node: 1, end: 'result' })
      expect(silence.isSilent(1)).toBe(false)
      expect(changes).toEqual([
        [1, true],
        [1, false],
      ])
      // And it is counted from the beginning.
      ask(silence, 7, 240, end)
      expect(silence.isSilent(1)).toBe(false)
    },
  )

  test('that answers anything in between is not silent', () => {
    const silence = open()
    for (let time = 0; time < 20; time += 1) {
      ask(silence, 7, 240, 'failure')
      silence.noted({ node: 1, end: 'result' })
    }
    expect(changes).toEqual([])
  })

  test('is silent by no clock that is set and no machine that slept', () => {
    const silence = open()
    pass(100_000)
    ask(silence, 1, 0, 'failure')
    pass(100_000)
    ask(silence, 1, 0, 'failure')
    pass(-500_000)
    ask(silence, 6, 200, 'failure')
    expect(silence.isSilent(1)).toBe(false)
    ask(silence, 1, 200, 'failure')
    expect(silence.isSilent(1)).toBe(true)
  })

  test('is not silent for what passes while no other answers, so never all are', () => {
    const silence = open(3)
    for (let time = 0; time < 100; time += 1) {
      pass(60)
      for (const node of [0, 1, 2]) silence.noted({ node, end: 'failure' })
    }
    expect(changes).toEqual([])
    // Nor for what passed before another did.
    silence.noted({ node: 0, end: 'result' })
    for (const node of [1, 2]) silence.noted({ node, end: 'failure' })
    expect(changes).toEqual([])
    for (let time = 0; time < 100; time += 1) {
      pass(60)
      silence.noted({ node: 0, end: 'result' })
      for (const node of [1, 2]) silence.noted({ node, end: 'failure' })
    }
    for (let time = 0; time < 100; time += 1) {
      pass(60)
      for (const node of [0, 1, 2]) silence.noted({ node, end: 'failure' })
    }
    expect([0, 1, 2].map((node) => silence.isSilent(node))).toEqual([false, true, true])
  })
})
