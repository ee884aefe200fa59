import { expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openChainClock } from './chain-clock.ts'

const START = 1_790_000_000_000
const OFF = limits.chainClockOffSecondsMax * 1000

/** A chain's blocks as this machine comes to see them. */
function watching({ sandbox = false } = {}) {
  let now = START
  const lines: string[] = []
  const log = openLog('warn', { write: (line: string) => void lines.push(line) })
  const clock = { nowMilliseconds: () => now }
  const chainClock = openChainClock({ ...testNetwork(8_453), sandbox }, { clock, log })
  const block = (hash: string, ahead: number) => ({
    ...{ hash, height: 1n, parentHash: '', transactionHashes: [], timeMilliseconds: now + ahead },
  })
  return {
    lines,
    block,
    pass: (milliseconds: number) => (now += milliseconds),
    /** A look at a head that shows its block, or does not. */
    look: (hash: string, ahead?: number) =>
      chainClock.looked({ hash, ...(ahead === undefined ? {} : { block: block(hash, ahead) }) }),
    read: chainClock.read,
    ahead: chainClock.aheadMilliseconds,
  }
}

test('a block that comes between two looks tells how far the chain is ahead or behind', () => {
  const { look, pass, ahead } = watching()
  look('a', -400)
  expect(ahead()).toBeNull()
  pass(500)
  look('b', -700)
  expect(ahead()).toBe(-700)
  pass(500)
  look('c', 5_000)
  expect(ahead()).toBe(5_000)
})

test('an old newest block tells nothing of a chain that stands still, and one from later is certain', () => {
  const { look, pass, ahead } = watching()
  look('a', -86_400_000)
  pass(500)
  look('a', -86_400_500)
  expect(ahead()).toBeNull()
  const { look: lookElsewhere, ahead: aheadElsewhere } = watching()
  lookElsewhere('a', 60_000)
  expect(aheadElsewhere()).toBe(60_000)
})

test('behind a pause, or a clock that was set back, nobody knows when a block came', () => {
  const { look, pass, ahead } = watching()
  look('a', 0)
  pass(limits.chainClockLookSecondsMax * 1000 + 1)
  look('b', -9_000)
  expect(ahead()).toBeNull()
  pass(-60_000)
  look('c', -9_000)
  expect(ahead()).toBeNull()
})

test('a head without its block is measured by the block that is read behind it, as of when it was seen', () => {
  const { look, pass, read, block, ahead } = watching()
  look('a')
  pass(500)
  look('b')
  const newest = block('b', -600)
  pass(4_000)
  read(block('z', -90_000_000))
  expect(ahead()).toBeNull()
  read(newest)
  expect(ahead()).toBe(-600)
})

test('a clock that is off is told of in the log, once in a while, and of a sandbox never', () => {
  const { look, pass, lines } = watching()
  look('a', OFF)
  expect(lines).toEqual([])
  pass(500)
  look('b', OFF + 1_000)
  expect(lines).toEqual([expect.stringMatching(/eip155:8453.*clock.*behind/)])
  pass(500)
  look('c', OFF + 1_000)
  expect(lines).toHaveLength(1)
  pass(limits.chainClockToldSeconds * 1000)
  look('d', OFF + 1_000)
  pass(500)
  look('e', -OFF - 1_000)
  expect(lines).toHaveLength(2)
  const sandbox = watching({ sandbox: true })
  sandbox.look('a', OFF + 1_000)
  expect(sandbox.lines).toEqual([])
})
