import { createKeyPairSignerFromPrivateKeyBytes, signBytes } from '@solana/kit'
import { expect, test } from 'vitest'
import { isSignedBy } from '../chains/solana/ed25519.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { solanaKeys } from './solana-keys.ts'

const scheme = solanaKeys({ random: systemRandom })

test('a new key has the address and the signatures that kit finds', async () => {
  for (let round = 0; round < 20; round += 1) {
    const key = scheme.generate()
    const kit = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(key.reveal()))
    const address = scheme.addressOf(key)
    expect(address).toBe(kit.address)
    const message = systemRandom.bytes(round * 50)
    const signature = scheme.sign(message, key)
    expect(signature).toEqual(await signBytes(kit.keyPair.privateKey, message))
    expect(isSignedBy(address, message, signature)).toBe(true)
    expect(isSignedBy(scheme.addressOf(scheme.generate()), message, signature)).toBe(false)
  }
})

test('signing leaves the key as it was', () => {
  const key = scheme.generate()
  const before = [...key.reveal()]
  scheme.sign(Uint8Array.of(1), key)
  expect([...key.reveal()]).toEqual(before)
})

test.each([0, 31, 33, 64])('%i bytes are not taken for a key', (length) => {
  const key = new SecretBytes(new Uint8Array(length))
  expect(() => scheme.addressOf(key)).toThrow(RangeError)
  expect(() => scheme.sign(Uint8Array.of(1), key)).toThrow(RangeError)
})
