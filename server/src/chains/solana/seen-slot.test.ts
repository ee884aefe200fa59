import { expect, test } from 'vitest'
import type { TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { openSeenSlot } from './seen-slot.ts'
import { result, script, startScripted } from './test-script.ts'

const BLOCK_TIME_MILLISECONDS = 400
/** The slots of 15 s. */
const SLACK = 38n
const FAR = 1_000_000_000_000n

function open() {
  let now = 1_000_000
  const seen = openSeenSlot(
    { nowMilliseconds: () => now, sleep: async () => {} },
    BLOCK_TIME_MILLISECONDS,
  )
  return {
    seen,
    /** So many milliseconds later a node says this of its newest slot. */
    says: (slot: bigint, laterMilliseconds = 1_000) => {
      now += laterMilliseconds
      seen.noteNewest(slot)
      return seen.now()
    },
    shows: (slot: bigint) => {
      seen.noteBlock(slot)
      return seen.now()
    },
  }
}

test('the highest slot that was shown is kept, whoever is behind it', () => {
  const { says, shows } = open()
  expect(says(1_000n)).toBe(1_000n)
  expect(says(1_003n)).toBe(1_003n)
  expect(says(1_001n)).toBe(1_003n)
  expect(says(500n)).toBe(1_003n)
  expect(shows(1_004n)).toBe(1_004n)
  expect(shows(900n)).toBe(1_004n)
})

test('one answer of the far future moves nothing', () => {
  const { says, shows } = open()
  says(1_000n)
  says(1_002n)
  expect(says(FAR)).toBe(1_002n)
  expect(says(1_005n)).toBe(1_005n)
  // The same node again, between answers of others, and one that stands there.
  for (let round = 1n; round < 5n; round += 1n) {
    expect(says(FAR + round * 3n)).toBe(1_002n + round * 3n)
    expect(says(1_005n + round * 3n)).toBe(1_005n + round * 3n)
  }
  expect(says(FAR)).toBe(1_017n)
  expect(says(FAR)).toBe(1_017n)
  expect(shows(FAR)).toBe(1_017n)
})

test('time and some slack bound what one answer moves', () => {
  const { says } = open()
  says(1_000n)
  // Twice as quick as the network’s pace.
  const reach = 5n + SLACK
  expect(says(1_000n + reach)).toBe(1_000n + reach)
  expect(says(1_000n + 2n * reach + 1n)).toBe(1_000n + reach)
})

test('a chain that has gone on while nobody looked is seen where it is', () => {
  const { says } = open()
  says(1_000n)
  expect(says(10_000n, 3_600_000)).toBe(10_000n)
})

test('two answers that go on from each other count, however far they are ahead', () => {
  const { says } = open()
  says(1_000n)
  says(1_002n)
  expect(says(50_000n)).toBe(1_002n)
  expect(says(50_003n)).toBe(50_003n)
  expect(says(1_008n)).toBe(50_003n)
})

test('the very first answer holds nobody back when the next one is far below', () => {
  const { says, shows } = open()
  expect(says(FAR)).toBe(FAR)
  expect(shows(900n)).toBe(FAR)
  expect(says(1_000n)).toBe(1_000n)
  expect(says(1_003n)).toBe(1_003n)
  expect(says(100n)).toBe(1_003n)
})

test('a clock that is set back lets the slots go on', () => {
  const { says } = open()
  says(1_000n)
  expect(says(1_003n, -3_600_000)).toBe(1_003n)
  expect(says(1_006n)).toBe(1_006n)
})

test('before any answer there is none, and a block alone is no newest one', () => {
  const { seen, shows } = open()
  expect(seen.now()).toBe(0n)
  expect(shows(7n)).toBe(0n)
})

test('a node that tells one slot of the far future makes no other one behind', async () => {
  const slots = [1_000, 1_001, 1_000_000_000_000, 1_002]
  const blockhash = encodeBase58(new Uint8Array(32).fill(1))
  const { chain, stop } = await startScripted([
    script({
      getLatestBlockhash: () =>
        result({
          context: { slot: slots.shift() ?? 1_003 },
          value: { blockhash, lastValidBlockHeight: 900 },
        }),
      getSlot: 1_003,
    }),
  ])
  const hash = encodeBase58(new Uint8Array(64).fill(2)) as TransactionHash
  try {
    for (let looks = 0; looks < 4; looks += 1) await chain.head()
    expect(await chain.outcomes([hash])).toEqual([{ state: 'absent' }])
  } finally {
    await stop()
  }
})
