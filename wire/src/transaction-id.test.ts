import { expect, test } from 'vitest'
import { canonicalAddress } from './address.ts'
import { canonicalTransactionId } from './transaction-id.ts'

const HASH = `0x${'aB'.repeat(32)}`
// Of 64 bytes: the least and the greatest, and one that begins with a zero byte.
const SIGNATURES = ['1'.repeat(64), 'z'.repeat(87), `1${'z'.repeat(86)}`]
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

test('an EVM hash is known in any case, a Solana signature in its one spelling', () => {
  expect(canonicalTransactionId(HASH)).toBe(HASH.toLowerCase())
  for (const signature of SIGNATURES) expect(canonicalTransactionId(signature)).toBe(signature)
})

test.each([
  '',
  HASH.slice(2),
  `${HASH}0`,
  HASH.slice(0, -1),
  HASH.replace('a', 'g'),
  MINT,
  '1'.repeat(63),
  '1'.repeat(65),
  'z'.repeat(88),
  'z'.repeat(86),
  '0'.repeat(87),
  'z'.repeat(10_000),
])('%j is no transaction', (text) => {
  expect(canonicalTransactionId(text)).toBeUndefined()
})

test('an address of either family has one spelling', () => {
  expect(canonicalAddress(ADDRESS.toLowerCase())).toBe(ADDRESS)
  expect(canonicalAddress(ADDRESS)).toBe(ADDRESS)
  expect(canonicalAddress(MINT)).toBe(MINT)
  expect(canonicalAddress(ADDRESS.replace('B', 'b'))).toBeUndefined()
  expect(canonicalAddress(HASH)).toBeUndefined()
})
