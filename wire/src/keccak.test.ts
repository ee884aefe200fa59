import { expect, test } from 'vitest'
import fc from 'fast-check'
import { createKeccak } from 'hash-wasm'
import { keccak256 } from './keccak.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('the hash of nothing is the one that every Ethereum client knows', () => {
  expect(hex(keccak256(new Uint8Array()))).toBe(
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
})

test('agrees with another implementation for every length around the block size', async () => {
  const other = await createKeccak(256)
  for (let length = 0; length <= 300; length += 1) {
    const input = new Uint8Array(length).map((_, index) => (index * 7 + length) % 256)
    expect(hex(keccak256(input))).toBe(other.init().update(input).digest('hex'))
  }
})

test('agrees with another implementation for any bytes', async () => {
  const other = await createKeccak(256)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (input) => {
      expect(hex(keccak256(input))).toBe(other.init().update(input).digest('hex'))
    }),
  )
})
