import { Refusal } from '@florin/wire/errors.ts'
import { expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { signingSeconds } from './signing-time.ts'

const NOW = 1_790_000_000
const real = { ...testNetwork(8_453), sandbox: false }
const at = (chainTimeSeconds: bigint | undefined, config = real) =>
  signingSeconds(config, NOW * 1000 + 999, chainTimeSeconds)

test('what is signed begins by the later of clock and chain', () => {
  expect(at(undefined)).toBe(BigInt(NOW))
  expect(at(BigInt(NOW - 86_400))).toBe(BigInt(NOW))
  expect(at(BigInt(NOW + 3_600))).toBe(BigInt(NOW + 3_600))
})

test('a chain too far ahead of the clock is not believed, and nothing is signed', () => {
  const most = BigInt(NOW + limits.chainAheadSecondsMax)
  expect(at(most)).toBe(most)
  expect(() => at(most + 1n)).toThrow(Refusal)
  expect(() => at(most + 1n)).toThrow(/clock/)
})

test('of a sandbox every time is believed: its blocks make its time, and nobody else has them', () => {
  const later = BigInt(NOW + 10 * limits.chainAheadSecondsMax)
  expect(at(later, { ...real, sandbox: true })).toBe(later)
})
