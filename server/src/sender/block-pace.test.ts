import { expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openBlockPace } from './block-pace.ts'

const START = 1_790_000_000_000

/** One who reads a chain of these blocks that the networks file has with a block every two seconds. */
function reading(milliseconds: number, { sandbox = false } = {}) {
  let now = START
  let height = 1_000_000
  const lines: string[] = []
  const log = openLog('warn', { write: (line: string) => void lines.push(line) })
  const clock = { nowMilliseconds: () => now }
  const config = { ...testNetwork(8_453), sandbox, blockTimeMilliseconds: 2_000 }
  const noteBlock = openBlockPace(config, { clock, log })
  return {
    lines,
    /** Reads so many seconds of the chain, ten blocks at a time, as quickly as a node gives them. */
    read: (seconds: number) => {
      for (let passed = 0; passed < seconds * 1_000; passed += milliseconds * 10) {
        height += 10
        const timeMilliseconds = Math.floor((height * milliseconds) / 1_000) * 1_000
        noteBlock({ height: BigInt(height), timeMilliseconds })
      }
    },
    pass: (seconds: number) => (now += seconds * 1_000),
  }
}

test('that blocks come ten times as quickly as the networks file says is told once in a while', () => {
  const { lines, read, pass } = reading(200)
  read(50)
  expect(lines).toEqual([])
  read(200)
  expect(lines).toEqual([expect.stringMatching(/eip155:8453.*blocks come several times/)])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ milliseconds: 200 })
  pass(limits.chainClockToldSeconds)
  read(130)
  expect(lines).toHaveLength(2)
})

test.each([
  ['as quick as it says', 2_000, {}],
  ['twice as quick', 1_000, {}],
  ['slower', 12_000, {}],
  ['quick in a sandbox', 200, { sandbox: true }],
])('nothing is told of blocks that are %s', (_, milliseconds, more) => {
  const { lines, read } = reading(milliseconds, more)
  read(600)
  expect(lines).toEqual([])
})
