import { expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { lookedFrom } from './looked-from.ts'

test('what somebody else settled is looked for as long back where blocks are quick', () => {
  const hours = (blockTimeMilliseconds: number) => {
    const blocks = 1_000_000n - lookedFrom(1_000_000n, { blockTimeMilliseconds })
    return (Number(blocks) * blockTimeMilliseconds) / 3_600_000
  }
  expect(hours(200)).toBeCloseTo(hours(2_000), 1)
  expect(hours(2_000)).toBeGreaterThan(2.5)
})

test('never fewer blocks than a reorganisation may replace, and none below the first', () => {
  const at = (height: bigint) => lookedFrom(height, { blockTimeMilliseconds: 60_000 })
  expect(at(1_000_000n)).toBe(1_000_000n - BigInt(limits.lookBackBlocks))
  expect(at(10n)).toBe(0n)
})
