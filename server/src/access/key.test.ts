import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { inspect } from 'node:util'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import {
  KEY_PATTERN,
  keyDigest,
  lastFourOf,
  makeKey,
  openKnownDigests,
  parseKey,
  sameDigest,
} from './key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const seeded = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => ({ bytes: () => bytes }))
const mode = fc.constantFrom('live' as const, 'test' as const)

describe('an API key', () => {
  test('has its published form whatever the random bits, and is read back', () => {
    fc.assert(
      fc.property(seeded, mode, (random, as) => {
        const text = makeKey(random, as).text.reveal()
        expect(text).toMatch(KEY_PATTERN)
        expect(parseKey(text)).toMatchObject({ mode: as })
        expect(parseKey(text)?.text.reveal()).toBe(text)
      }),
    )
  })

  test('is not read with any one character wrong', () => {
    const text = makeKey(systemRandom, 'live').text.reveal()
    for (let at = 'florin_'.length; at < text.length; at += 1) {
      for (const wrong of [...BASE62, '_']) {
        if (wrong === text[at]) continue
        expect(parseKey(text.slice(0, at) + wrong + text.slice(at + 1))).toBeUndefined()
      }
    }
  })

  test('is not read when characters change places, are missing or too many', () => {
    const text = makeKey(systemRandom, 'test').text.reveal()
    for (let at = 12; at < 12 + 26; at += 1) {
      const swapped = text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2)
      if (swapped !== text) expect(parseKey(swapped)).toBeUndefined()
    }
    for (const bad of [
      text.slice(0, -1),
      `${text}0`,
      text.toUpperCase(),
      ` ${text}`,
      `${text}\n`,
    ]) {
      expect(parseKey(bad)).toBeUndefined()
    }
    expect(parseKey(text.replace('_test_', '_live_'))).toBeUndefined()
  })

  test('has another digest under another pepper, and another key has another digest', () => {
    const [one, other] = [makeKey(systemRandom, 'live'), makeKey(systemRandom, 'live')]
    const peppers = [1, 2].map((byte) => new SecretBytes(new Uint8Array(32).fill(byte)))
    const digests = [one, other].flatMap((key) => peppers.map((pepper) => keyDigest(key, pepper)))
    expect(new Set(digests.map((digest) => Buffer.from(digest).toString('hex'))).size).toBe(4)
    for (const a of digests) for (const b of digests) expect(sameDigest(a, b)).toBe(a === b)
    expect(sameDigest(new Uint8Array(32), new Uint8Array(31))).toBe(false)
  })

  test('has the same digest when it is presented again, also when others came in between', () => {
    const pepper = new SecretBytes(new Uint8Array(32).fill(1))
    const digestOf = openKnownDigests({ pepper, random: systemRandom }, 2)
    const keys = Array.from({ length: 5 }, () => makeKey(systemRandom, 'live'))
    for (const key of [...keys, ...keys, ...keys.flatMap((each) => [each, each])]) {
      const digest = digestOf(key.text.reveal()) ?? new Uint8Array()
      expect(sameDigest(digest, keyDigest(key, pepper))).toBe(true)
    }
  })

  test('has no digest when it is none, however often it is presented', () => {
    const pepper = new SecretBytes(new Uint8Array(32).fill(1))
    const digestOf = openKnownDigests({ pepper, random: systemRandom }, 2)
    const text = makeKey(systemRandom, 'live').text.reveal()
    for (const bad of ['', text.slice(1), `${text}0`, 'a'.repeat(9000), text.slice(1)]) {
      expect(digestOf(bad)).toBeUndefined()
    }
  })

  test('never prints', () => {
    const key = makeKey(systemRandom, 'live')
    const text = key.text.reveal()
    for (const printed of [inspect(key, { depth: 9 }), JSON.stringify(key), `${key.text}`]) {
      expect(printed).not.toContain(text.slice(12, 39))
    }
    expect(lastFourOf(key)).toBe(text.slice(-4))
  })
})
