import { expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { openFacts } from './facts.ts'
import { HASH } from './test-scene.ts'

function scene(slotMilliseconds = 400) {
  let now = 0
  let asked = 0
  let isLive = true
  const clock: Clock = { nowMilliseconds: () => now, sleep: async () => undefined }
  const transport: Transport = {
    read: async <Value>({ parse }: Read<Value>) => {
      asked += 1
      return parse({ context: { slot: 50 }, value: isLive })
    },
    readLast: async () => {
      throw new Error('nothing is put off')
    },
    tellAll: async () => [],
    tellEach: () => [],
  }
  return {
    facts: openFacts({ transport, clock, slotMilliseconds: () => slotMilliseconds }),
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    expire: () => {
      isLive = false
    },
    asked: () => asked,
  }
}

test('a blockhash is believed for a second, and asked again then', async () => {
  const { facts, pass, expire, asked } = scene()
  expect(await facts.isBlockhashLive(HASH)).toBe(true)
  expire()
  pass(999)
  expect(await facts.isBlockhashLive(HASH)).toBe(true)
  expect(asked()).toBe(1)
  pass(1)
  expect(await facts.isBlockhashLive(HASH)).toBe(false)
})

test('what a shape of transfer takes is known for ten minutes', () => {
  const { facts, pass } = scene()
  facts.noteUnits('a', 500n)
  pass(599_999)
  expect(facts.unitsOf('a')).toBe(500n)
  pass(1)
  expect(facts.unitsOf('a')).toBeUndefined()
})

test.each([
  [400, 60],
  [350, 52],
  [200, 30],
  [2_000, 60],
  [1, 1],
])('where slots come every %d ms, a build is good for %d seconds', (slotMilliseconds, seconds) => {
  expect(scene(slotMilliseconds).facts.validSeconds()).toBe(seconds)
})
