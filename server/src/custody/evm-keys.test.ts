import { expect, test } from 'vitest'
import { privateKeyToAddress } from 'viem/accounts'
import { recoverAddress } from '../chains/evm/secp256k1.ts'
import { systemRandom } from '../kernel/random.ts'
import { evmKeys } from './evm-keys.ts'

const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

test('a new key has the address that another library finds, and signs for it', () => {
  const scheme = evmKeys({ random: systemRandom })
  const key = scheme.generate()
  const address = scheme.addressOf(key)
  expect(address).toBe(privateKeyToAddress(`0x${Buffer.from(key.reveal()).toString('hex')}`))
  const digest = systemRandom.bytes(32)
  expect(recoverAddress(digest, scheme.sign(digest, key))).toBe(address)
})

test.each(['00'.repeat(32), ORDER, 'ff'.repeat(32)])('%s is not taken for a key', (first) => {
  const draws = [first, '11'.repeat(32)]
  const scheme = evmKeys({
    random: { bytes: () => Uint8Array.from(Buffer.from(draws.shift() ?? '', 'hex')) },
  })
  expect(Buffer.from(scheme.generate().reveal()).toString('hex')).toBe('11'.repeat(32))
})

test('random bytes that are always zero end in an error, not in a loop', () => {
  const scheme = evmKeys({ random: { bytes: (length) => new Uint8Array(length) } })
  expect(() => scheme.generate()).toThrow('no private key')
})
