import { expect, test } from 'vitest'
import { mayHold } from './logs-bloom.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const TOKEN = bytes('036CbD53842c5426634e7929541eC2318f3dCF7e')
const TRANSFER = bytes('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/** A filter with these bits, of the 2,048 from the last. */
const filter = (...bits: readonly number[]) =>
  bytes(
    bits
      .reduce((all, bit) => all | (1n << BigInt(bit)), 0n)
      .toString(16)
      .padStart(512, '0'),
  )

test('a filter lets a block hold what stands in it whole, and nothing else', () => {
  // As another library, ox, reads and writes them.
  const both = filter(149, 481, 1060, 1283, 1443, 2010)
  expect(mayHold(both, [TOKEN, TRANSFER])).toBe(true)
  expect(mayHold(both, [TOKEN, TRANSFER, new Uint8Array(20).fill(0x11)])).toBe(false)
  for (const bit of [149, 481, 1060, 1283, 1443, 2010]) {
    const less = [149, 481, 1060, 1283, 1443, 2010].filter((each) => each !== bit)
    expect(mayHold(filter(...less), [TOKEN, TRANSFER])).toBe(false)
  }
})

test('a filter that no chain filled excludes nothing', () => {
  expect(mayHold(new Uint8Array(256), [TOKEN])).toBe(true)
  expect(mayHold(new Uint8Array(), [TOKEN])).toBe(true)
})
