import { describe, expect, test } from 'vitest'
import proofs from '../vectors/transfer-proof.json' with { type: 'json' }
import vectors from '../vectors/transfer-memo.json' with { type: 'json' }
import { parseTransferMemo, transferMemo } from './transfer-memo.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

test.each(vectors)('vector: $name', ({ commitment, memo }) => {
  expect(transferMemo(bytes(commitment))).toBe(memo)
  expect(parseTransferMemo(memo)).toEqual(bytes(commitment))
})

test('the first vector is the commitment of a published proof', () => {
  const solana = proofs.find(({ name }) => name === 'Solana, native currency, no resource')
  expect(solana?.commitment).toBe(vectors[0]?.commitment)
})

describe('a commitment', () => {
  const digits = 'ab'.repeat(32)

  test.each([
    '',
    'florin1:',
    digits,
    `florin2:${digits}`,
    `Florin1:${digits}`,
    `florin1:${digits.toUpperCase()}`,
    `florin1:${digits}00`,
    `florin1:${digits.slice(2)}`,
    `florin1: ${digits}`,
    ` florin1:${digits}`,
    `florin1:${digits}\n`,
    `florin1:${digits} florin1:${digits}`,
  ])('is not read from %j', (memo) => {
    expect(parseTransferMemo(memo)).toBeUndefined()
  })

  test('of another length has no memo', () => {
    expect(() => transferMemo(new Uint8Array(31))).toThrow(RangeError)
  })
})
