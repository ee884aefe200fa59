import { getAddressEncoder, isOffCurveAddress } from '@solana/kit'
import type { Address as KitAddress } from '@solana/kit'
import { findAssociatedTokenPda } from '@solana-program/token'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ZERO_ADDRESS, addressBytes, addressFromBytes, parseAddress } from './account.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { isOnCurve } from './ed25519-point.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { associatedAccount } from './token-account.ts'

/** Addresses, some with zero bytes in front. */
const raw = fc
  .tuple(fc.nat({ max: 32 }), fc.uint8Array({ minLength: 32, maxLength: 32 }))
  .map(([zeros, bytes]) => bytes.map((byte, index) => (index < zeros % 5 ? 0 : byte)))
const kit = (address: string): KitAddress => address as KitAddress

describe('an address', () => {
  test('is spelled as kit spells it, whatever bytes it is, and read back', () => {
    fc.assert(
      fc.property(raw, (bytes) => {
        const address = addressFromBytes(bytes)
        expect(getAddressEncoder().encode(kit(address))).toEqual(bytes)
        expect(parseAddress(address)).toBe(address)
        expect(addressBytes(address)).toEqual(bytes)
      }),
    )
  })

  const RIGHT = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
  test.each([
    '',
    RIGHT.slice(2),
    `${RIGHT}1`,
    `1${RIGHT}`,
    ` ${RIGHT}`,
    `${RIGHT}\n`,
    RIGHT.replace('9', '0'),
    RIGHT.replace('D', 'O'),
    RIGHT.replace('X', 'I'),
    RIGHT.replace('b', 'l'),
    '1'.repeat(31),
    '1'.repeat(33),
    'z'.repeat(44),
    '1'.repeat(1_000),
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })

  test('of nobody is the zero address', () => {
    expect(ZERO_ADDRESS).toBe('1'.repeat(32))
  })

  test('has a key only when it is on the curve, as kit finds too', () => {
    fc.assert(
      fc.property(raw, (bytes) => {
        expect(isOnCurve(bytes)).toBe(!isOffCurveAddress(kit(addressFromBytes(bytes))))
      }),
    )
  })

  test('at the edges of the curve is judged as kit judges it', () => {
    const prime = 2n ** 255n - 19n
    for (const y of [0n, 1n, 2n, prime - 2n, prime - 1n, prime, prime + 1n, 2n ** 255n - 1n]) {
      for (const sign of [0n, 1n]) {
        const digits = (y + (sign << 255n)).toString(16).padStart(64, '0')
        const bytes = Uint8Array.from(Buffer.from(digits, 'hex')).toReversed()
        const expected = !isOffCurveAddress(kit(addressFromBytes(bytes)))
        expect([y, sign, isOnCurve(bytes)]).toEqual([y, sign, expected])
      }
    }
  })
})

test('base58 of any length is read back, and only at its own length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
      const text = encodeBase58(bytes)
      expect(decodeBase58(text, bytes.length)).toEqual(bytes)
      expect(decodeBase58(text, bytes.length + 1)).toBeUndefined()
      expect(decodeBase58(text, bytes.length - 1)).toBeUndefined()
    }),
  )
})

test.each([TOKEN_PROGRAM, TOKEN_2022_PROGRAM])(
  'the token account of an owner under %s is where kit finds it',
  async (tokenProgram) => {
    await fc.assert(
      fc.asyncProperty(raw, raw, async (owner, mint) => {
        const [wallet, asset] = [addressFromBytes(owner), addressFromBytes(mint)]
        const found = associatedAccount(wallet, tokenProgram, asset)
        const [address, bump] = await findAssociatedTokenPda({
          owner: kit(wallet),
          mint: kit(asset),
          tokenProgram: kit(tokenProgram),
        })
        expect(found).toEqual({ address, tries: 256 - bump })
      }),
      { numRuns: 50 },
    )
  },
)
