import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { weaknessOfKey, weaknessOfPassword } from './weak-secret.ts'

describe('a key-encryption key', () => {
  test('that was drawn at random is taken, whatever way it is written', () => {
    for (let round = 0; round < 500; round += 1) {
      const bytes = randomBytes(32)
      const [short, long] = [bytes.toString('hex', 0, 16), bytes.toString('hex')]
      for (const text of [short, long, bytes.toString('base64'), bytes.toString('base64url')]) {
        // A random text that holds one of the common words would be a wonder.
        expect(weaknessOfKey(text), `${round}: ${text}`).toBeUndefined()
      }
    }
  })

  test('without a digit is taken when its letters are drawn at random', () => {
    expect(weaknessOfKey('qGmebi-DJUcrPAIV_GROysErgHZNXfClxJVwzgPBPus')).toBeUndefined()
  })

  test.each([
    'change-me-change-me-change-me-change-me',
    'ExampleExampleExample1234567890abcdef',
    '00000000000000000000000000000000',
    'a1b2a1b2a1b2a1b2a1b2a1b2a1b2a1b2',
    'f3a91c7e5b2d8064f3a91c7e5b2d8064',
    '0123456789abcdef0123456789abcdeg',
    'abcdefghijklmnopqrstuvwxyz012345',
    'correct horse battery staple lucky',
    'thisisthemasterkeyofourwholecompany',
    '11111111111111122222223333344445',
    '<put 64 hex digits here, please do it>',
  ])('%j is refused, and not repeated', (text) => {
    const weakness = weaknessOfKey(text)
    expect(weakness).toBeDefined()
    expect(weakness).not.toContain(text)
  })
})

describe("a database's password", () => {
  const of = (url: string) => weaknessOfPassword(new URL(url))

  test.each([
    'postgres://florin:postgres@db/florin',
    'postgres://florin:Password@db/florin',
    'postgres://keeper:keeper@db/florin',
    'postgres://keeper:payments@db/payments',
    'postgres://keeper:k33p3r@db/florin',
    'postgres://keeper:changeme-please-1@db/florin',
    'postgres://keeper:your%2Dkey%2Dgoes%2Dhere@db/florin',
    'postgres://keeper:aaaaaaaaaaaaaaaa@db/florin',
  ])('in %s is weak', (url) => {
    expect(of(url)).toBeDefined()
  })

  test('is strong when it is long and its own, and may be left out', () => {
    expect(of('postgres://florin:8d1fe07c55aa4be0@db/florin')).toBeUndefined()
    expect(of('postgres://florin:x%25y-9Kq2%40Lm!w@db/florin')).toBeUndefined()
    expect(of('postgres://florin@db/florin')).toBeUndefined()
  })
})
