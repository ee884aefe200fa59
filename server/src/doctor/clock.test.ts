import { expect, test } from 'vitest'
import type { Block, Chain } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { whatIsWrongWithClock } from './clock.ts'

const START = 1_790_000_000_000
const HOUR = 3_600_000

/** A chain whose newest block is so far ahead of the clock, and the next one, if any comes, likewise. */
async function saidOf(ahead: number, next: number | null, { sandbox = false } = {}) {
  let now = START
  const clock = {
    nowMilliseconds: () => now,
    sleep: async (milliseconds: number) => void (now += milliseconds),
  }
  const block = (height: bigint, at: number): Block => ({
    ...{ height, hash: `${height}`, parentHash: `${height - 1n}`, transactionHashes: [] },
    timeMilliseconds: at,
  })
  const blocks: Chain['blocks'] = async (from) => [
    block(from, from === 1n ? START + ahead : now + (next ?? 0)),
  ]
  const chain = scriptedChain(
    { ...testNetwork(8_453), sandbox, blockTimeMilliseconds: 2_000 },
    {
      head: async () => {
        const height = next !== null && now >= START + 2_000 ? 2n : 1n
        return { height, hash: `${height}`, finalizedHeight: 0n }
      },
      blocks,
    },
  )
  const said = await whatIsWrongWithClock(chain, clock)
  return { said, took: now - START }
}

test('a chain ahead of the clock is named at once, with what to do', async () => {
  const { said, took } = await saidOf(HOUR, null)
  expect(said).toMatch(/^eip155:8453: .* 3600 seconds behind .*NTP/)
  expect(took).toBe(0)
})

test('a newest block of now is fine, and asks for no other', async () => {
  expect(await saidOf(-5_000, null)).toEqual({ said: undefined, took: 0 })
})

test('a chain that stands still says nothing of the clock', async () => {
  const { said, took } = await saidOf(-HOUR, null)
  expect(said).toBeUndefined()
  expect(took).toBeLessThanOrEqual((limits.doctorNextBlockSeconds + 1) * 1000)
})

test('a block that came just now and is old: the clock is ahead, or the node is behind', async () => {
  expect((await saidOf(-HOUR, -HOUR)).said).toMatch(/^eip155:8453: .* 3600 seconds old .*NTP.*node/)
  expect((await saidOf(-HOUR, -3_000)).said).toBeUndefined()
})

test('of a sandbox nothing is asked', async () => {
  expect((await saidOf(HOUR, null, { sandbox: true })).said).toBeUndefined()
})
