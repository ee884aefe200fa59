import { beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import type { NodeState } from '../node-state.ts'
import { openNodeHealth } from './node-health.ts'
import type { NodeHealth } from './node-health.ts'

const LIMITS = {
  nodeAsideSeconds: 10,
  nodeAsideSecondsMax: 40,
  nodeSlowMilliseconds: 100,
  nodeSlowAnswersMax: 3,
  nodeLookSeconds: 5,
  nodeHeightSeconds: 30,
}
let now = 0
let changes: [NodeState, number][] = []
const clock: Clock = { nowMilliseconds: () => now, sleep: async () => undefined }
const pass = (seconds: number) => {
  now += seconds * 1000
}
const open = (count: number): NodeHealth =>
  openNodeHealth({
    hosts: Array.from({ length: count }, (_, index) => `host-${index + 1}`),
    clock,
    limits: LIMITS,
    behindBlocksMax: 5n,
    onChange: (state, seconds) => changes.push([state, seconds]),
  })
const statesOf = (health: NodeHealth) => health.states().map(({ state }) => state)
const see = (health: NodeHealth, ...heights: readonly bigint[]) =>
  health.seen(new Map(heights.map((height, node) => [node, height])))

beforeEach(() => {
  now = 1_000_000
  changes = []
})

describe('a node that fails', () => {
  test('is asked last for its time, then asked its height, and read again once it answers', () => {
    const health = open(3)
    expect(health.dueForLook()).toEqual([0, 1, 2])
    health.failed(0, 'HTTP 500')
    expect(health.order()).toEqual([1, 2, 0])
    expect(changes).toEqual([
      [{ node: 1, host: 'host-1', state: 'aside', reason: 'HTTP 500', height: null }, 10],
    ])
    pass(5)
    expect(health.dueForLook()).toEqual([1, 2])
    pass(5)
    // Its time is over, and still nobody reads from it before it has answered.
    expect(health.order()).toEqual([1, 2, 0])
    expect(health.dueForLook()).toEqual([0, 1, 2])
    health.answered(0, 1)
    expect(health.order()).toEqual([0, 1, 2])
    expect(changes.at(-1)).toEqual([expect.objectContaining({ node: 1, state: 'ok' }), 0])
  })

  test('is left alone longer each time it fails again, up to a limit, and not for failures together', () => {
    const health = open(2)
    const times: number[] = []
    for (let round = 0; round < 4; round += 1) {
      health.failed(0, 'away')
      health.failed(0, 'away')
      let seconds = 0
      while (!health.dueForLook().includes(0)) {
        pass(5)
        seconds += 5
      }
      times.push(seconds)
    }
    expect(times).toEqual([10, 20, 40, 40])
    expect(changes).toHaveLength(1)
    health.answered(0, 1)
    health.failed(0, 'away')
    pass(10)
    expect(health.dueForLook()).toContain(0)
  })

  test('is not brought back by an answer to what it was asked before, as long as another does well', () => {
    const health = open(2)
    health.failed(0, 'away')
    health.answered(0, 1)
    expect(statesOf(health)).toEqual(['aside', 'ok'])
    health.failed(1, 'away')
    health.answered(0, 1)
    expect(statesOf(health)).toEqual(['ok', 'aside'])
  })

  test('is still asked when all of them fail, the one first that may come back first', () => {
    const health = open(2)
    health.failed(1, 'away')
    pass(1)
    health.failed(0, 'away')
    expect(health.order()).toEqual([1, 0])
  })

  test('is read on when it is alone', () => {
    const health = open(1)
    health.failed(0, 'away')
    expect(health.order()).toEqual([0])
    expect(health.dueForLook()).toEqual([])
    health.answered(0, 60_000)
    expect(statesOf(health)).toEqual(['ok'])
  })
})

describe('a node that is slow', () => {
  test('is put aside after so many slow answers in a row, and no sooner', () => {
    const health = open(2)
    for (const milliseconds of [101, 101, 100, 101, 101]) health.answered(0, milliseconds)
    expect(statesOf(health)).toEqual(['ok', 'ok'])
    health.answered(0, 101)
    expect(health.states()[0]).toMatchObject({
      state: 'aside',
      reason: expect.stringContaining('100 ms'),
    })
    pass(10)
    health.answered(0, 101)
    expect(statesOf(health)).toEqual(['aside', 'ok'])
    health.answered(0, 100)
    expect(statesOf(health)).toEqual(['ok', 'ok'])
  })
})

describe('a node whose chain ends below that of the others', () => {
  test('is not read until it has caught up, and its height is told', () => {
    const health = open(3)
    see(health, 94n, 100n, 95n)
    expect(statesOf(health)).toEqual(['behind', 'ok', 'ok'])
    expect(health.order()).toEqual([1, 2])
    expect(health.states()[0]).toMatchObject({
      height: 94n,
      reason: expect.stringContaining('94, 6 blocks below'),
    })
    pass(5)
    see(health, 96n, 101n, 101n)
    expect(health.order()).toEqual([0, 1, 2])
  })

  test('stays so for a while when the others fall silent, and then is the best there is', () => {
    const health = open(2)
    see(health, 100n, 50n)
    health.failed(0, 'away')
    expect(health.order()).toEqual([0])
    pass(30)
    health.seen(new Map([[1, 51n]]))
    expect(health.order()).toEqual([0])
    pass(1)
    health.seen(new Map([[1, 51n]]))
    expect(health.order()).toEqual([1, 0])
  })

  test('is looked at every so often only', () => {
    const health = open(2)
    expect(health.dueForLook()).toEqual([0, 1])
    expect(health.dueForLook()).toEqual([])
    pass(4.9)
    expect(health.dueForLook()).toEqual([])
    pass(0.1)
    expect(health.dueForLook()).toEqual([0, 1])
  })
})
