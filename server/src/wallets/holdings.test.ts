import { describe, expect, test } from 'vitest'
import { availableOf } from './holdings.ts'

describe('what a wallet may spend', () => {
  test.each([
    ['nothing under way', { chain: 100n, held: 0n, books: 100n }, 100n],
    ['money that arrived and is in no book yet', { chain: 150n, held: 0n, books: 100n }, 150n],
    ['a wallet without books', { chain: 7n, held: 0n, books: 0n }, 7n],
    ['a payment that no block holds', { chain: 100n, held: 60n, books: 40n }, 40n],
    ['a payment that is mined and not final', { chain: 45n, held: 60n, books: 40n }, 40n],
    ['money that somebody else took', { chain: 10n, held: 0n, books: 100n }, 10n],
    ['everything promised', { chain: 100n, held: 100n, books: 0n }, 0n],
    ['a network that took of what is promised', { chain: 101n, held: 111n, books: -10n }, 0n],
    ['a chain that is behind its books', { chain: 0n, held: 60n, books: 40n }, 0n],
  ])('with %s', (_, { chain, held, books }, available) => {
    expect(availableOf(chain, held, books)).toBe(available)
  })
})
