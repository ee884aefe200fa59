import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../kernel/random.ts'
import { SealBroken, seal, unseal } from './seal.ts'

const key = systemRandom.bytes(32)
const additionalData = new TextEncoder().encode('whose and what for')

describe('a sealed text', () => {
  test('opens to the same bytes under the same key and additional data', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.uint8Array({ maxLength: 50 }),
        (text, data) => {
          expect(unseal(key, seal(key, text, data, systemRandom), data)).toEqual(Buffer.from(text))
        },
      ),
    )
  })

  test('does not open after any one bit of it was changed, or any byte cut off', () => {
    const sealed = seal(key, systemRandom.bytes(32), additionalData, systemRandom)
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = sealed.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => unseal(key, changed, additionalData)).toThrow(SealBroken)
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => unseal(key, sealed.subarray(0, length), additionalData)).toThrow(SealBroken)
    }
  })

  test('does not open under additional data that differs in one bit or in length', () => {
    const sealed = seal(key, systemRandom.bytes(32), additionalData, systemRandom)
    for (let bit = 0; bit < additionalData.length * 8; bit += 1) {
      const changed = additionalData.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => unseal(key, sealed, changed)).toThrow(SealBroken)
    }
    expect(() => unseal(key, sealed, additionalData.subarray(1))).toThrow(SealBroken)
    expect(() => unseal(key, sealed, new Uint8Array(0))).toThrow(SealBroken)
  })

  test('does not open under another key', () => {
    const sealed = seal(key, systemRandom.bytes(32), additionalData, systemRandom)
    expect(() => unseal(systemRandom.bytes(32), sealed, additionalData)).toThrow(SealBroken)
  })

  test('is another one each time: the nonce is never used twice', () => {
    const texts = Array.from({ length: 200 }, () =>
      Buffer.from(seal(key, new Uint8Array(32), additionalData, systemRandom)).toString('hex'),
    )
    expect(new Set(texts.map((text) => text.slice(2, 26))).size).toBe(200)
    expect(new Set(texts.map((text) => text.slice(26))).size).toBe(200)
  })
})
