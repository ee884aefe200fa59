import { expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTooLong } from './too-long.ts'

const [one, other] = [newId(systemRandom, 'acct'), newId(systemRandom, 'acct')]
const digest = (byte: number) => new Uint8Array(32).fill(byte)

test('a request whose goods were too long is known to its account, for so long and no longer', () => {
  let now = 0
  const known = openTooLong({ nowMilliseconds: () => now })
  known.note(one, digest(1))
  expect(known.isKnown(one, digest(1))).toBe(true)
  expect(known.isKnown(one, digest(2))).toBe(false)
  expect(known.isKnown(other, digest(1))).toBe(false)
  now = limits.fetchTooLongSeconds * 1000 - 1
  expect(known.isKnown(one, digest(1))).toBe(true)
  now += 1
  expect(known.isKnown(one, digest(1))).toBe(false)
})

test('only so many are remembered, the newest', () => {
  const known = openTooLong({ nowMilliseconds: () => 0 })
  const most = limits.fetchTooLongMax
  const nth = (index: number) => {
    const bytes = Buffer.alloc(32)
    bytes.writeUInt32BE(index)
    return new Uint8Array(bytes)
  }
  for (let index = 0; index <= most; index += 1) known.note(one, nth(index))
  expect(known.isKnown(one, nth(0))).toBe(false)
  expect(known.isKnown(one, nth(1))).toBe(true)
  expect(known.isKnown(one, nth(most))).toBe(true)
})
