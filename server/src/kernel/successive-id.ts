import { ID_ALPHABET } from './id.ts'
import type { Id, IdPrefix } from './id.ts'

const BASE = ID_ALPHABET.length

/**
 * The id that follows another after so many places, counted in base58. Ids that follow each other have one key together, and are found by it: their
 * text grows as they do, since the alphabet is in the order of ASCII. 22 characters hold 1.7 times the 128 bits of a first id, so none is passed.
 */
export function idAfter<Prefix extends IdPrefix>(id: Id<Prefix>, places: number): Id<Prefix> {
  let end = id.length
  let rest = ''
  let carry = places
  while (carry > 0) {
    end -= 1
    const digit = ID_ALPHABET.indexOf(id.charAt(end))
    if (digit === -1) throw new Error('no id follows this one')
    const value = digit + carry
    rest = ID_ALPHABET.charAt(value % BASE) + rest
    carry = Math.floor(value / BASE)
  }
  return `${id.slice(0, end)}${rest}` as Id<Prefix>
}

/** How many places an id is behind another; negative before it. */
export function placesBetween<Prefix extends IdPrefix>(first: Id<Prefix>, id: Id<Prefix>): bigint {
  return valueOf(id) - valueOf(first)
}

function valueOf(id: string): bigint {
  let value = 0n
  for (const character of id.slice(id.indexOf('_') + 1)) {
    value = value * BigInt(BASE) + BigInt(ID_ALPHABET.indexOf(character))
  }
  return value
}
