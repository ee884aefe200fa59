import fc from 'fast-check'
import { getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { ZERO_ADDRESS, addressBytes, addressFromBytes, parseAddress } from './account.ts'

const raw = fc.uint8Array({ minLength: 20, maxLength: 20 })
const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`
const RIGHT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

describe('an address', () => {
  test('is spelled as EIP-55 says, whatever bytes it is', () => {
    fc.assert(
      fc.property(raw, (bytes) => {
        const address = addressFromBytes(bytes)
        expect(address).toBe(getAddress(hex(bytes)))
        expect(parseAddress(address)).toBe(address)
        expect(parseAddress(hex(bytes))).toBe(address)
        expect(parseAddress(`0x${hex(bytes).slice(2).toUpperCase()}`)).toBe(address)
        expect(hex(addressBytes(address))).toBe(hex(bytes))
      }),
    )
  })

  test('in mixed case is refused when any one letter has the wrong case', () => {
    for (const [index, letter] of [...RIGHT].entries()) {
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      if (index < 2 || other === letter) continue
      expect(parseAddress(RIGHT.slice(0, index) + other + RIGHT.slice(index + 1))).toBeUndefined()
    }
  })

  test.each([
    '',
    '0x',
    RIGHT.slice(2),
    `${RIGHT}0`,
    RIGHT.slice(0, -1),
    `0X${RIGHT.slice(2)}`,
    ` ${RIGHT}`,
    `${RIGHT}\n`,
    RIGHT.replace('d', 'g'),
    '4Nd1mYQxU4C1gLJ5qZcVQYX8JQ8pVJQbQfYtVhN6vQ3e',
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })

  test('of nobody is the zero address', () => {
    expect(ZERO_ADDRESS).toBe('0x0000000000000000000000000000000000000000')
  })
})
