import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId, parseId } from './id.ts'
import { systemRandom } from './random.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The number that an id's characters spell. */
function spelled(id: string): bigint {
  return [...id.slice('pay_'.length)].reduce(
    (sum, character) => sum * 58n + BigInt(ALPHABET.indexOf(character)),
    0n,
  )
}

const made = (bytes: Uint8Array) => newId({ bytes: () => bytes }, 'pay')

test('an id spells its 128 random bits, all of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const id = made(bytes)
      expect(id).toHaveLength('pay_'.length + 22)
      expect(spelled(id)).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
    }),
  )
})

test('the least and the greatest are ids, too', () => {
  expect(made(new Uint8Array(16))).toBe(`pay_${'1'.repeat(22)}`)
  expect(spelled(made(new Uint8Array(16).fill(0xff)))).toBe(2n ** 128n - 1n)
})

test('is read back as one of its kind and of no other', () => {
  const id = newId(systemRandom, 'evt')
  expect(parseId('evt', id)).toBe(id)
  expect(parseId('pay', id)).toBeUndefined()
})
