import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { checksumAddress, isEvmAddress, isSolanaAddress } from './address.ts'

// Source: EIP-55, test cases.
const SPELLED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

describe('an EVM address', () => {
  test.each(SPELLED)('%s is spelled as the standard spells it', (address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address)
    expect(isEvmAddress(address)).toBe(true)
  })

  test('is accepted without a checksum, and with mixed case only when the checksum is right', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9a-f]{40}$/),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (digits, upper) => {
          expect(isEvmAddress(`0x${digits}`)).toBe(true)
          expect(isEvmAddress(`0x${digits.toUpperCase()}`)).toBe(true)
          const mixed = `0x${[...digits].map((c, at) => (upper[at] ? c.toUpperCase() : c)).join('')}`
          const plain = [`0x${digits}`, `0x${digits.toUpperCase()}`].includes(mixed)
          expect(isEvmAddress(mixed)).toBe(plain || mixed === checksumAddress(mixed))
        },
      ),
    )
  })

  test('with one letter in the wrong case is refused', () => {
    const address = SPELLED[4] ?? ''
    for (let at = 2; at < address.length; at += 1) {
      const letter = address.charAt(at)
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      if (other === letter) continue
      expect(isEvmAddress(address.slice(0, at) + other + address.slice(at + 1))).toBe(false)
    }
  })

  test.each([
    '',
    '0x',
    'de709f2102306220921060314715629080e2fb77',
    '0Xde709f2102306220921060314715629080e2fb77',
    '0xde709f2102306220921060314715629080e2fb7',
    '0xde709f2102306220921060314715629080e2fb777',
    '0xge709f2102306220921060314715629080e2fb77',
    ' 0xde709f2102306220921060314715629080e2fb77',
    '0xde709f2102306220921060314715629080e2fb77\n',
  ])('%j is none', (text) => {
    expect(isEvmAddress(text)).toBe(false)
  })
})

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = BASE58.charAt(Number(value % 58n)) + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}

describe('a Solana address', () => {
  test('is 32 bytes in base58, no more and no fewer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 28, maxLength: 36 }), (bytes) => {
        expect(isSolanaAddress(base58(bytes))).toBe(bytes.length === 32)
      }),
    )
  })

  test('may begin with zero bytes', () => {
    expect(isSolanaAddress('1'.repeat(32))).toBe(true)
    expect(isSolanaAddress('1'.repeat(31))).toBe(false)
    expect(isSolanaAddress('1'.repeat(33))).toBe(false)
    expect(isSolanaAddress('So11111111111111111111111111111111111111112')).toBe(true)
  })

  test.each(['0', 'O', 'I', 'l', ' ', '\n', '١'])('has no %j', (character) => {
    expect(isSolanaAddress(`So1111111111111111111111111111111111111111${character}`)).toBe(false)
  })
})
