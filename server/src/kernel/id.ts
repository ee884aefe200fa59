import type { Brand } from '@florin/wire/brand.ts'
import type { Random } from './random.ts'

/** Of the characters behind an id's prefix, in the order of ASCII: an id's text is greater where what it spells is. */
export const ID_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ID_BYTES = 16
const ID_CHARACTERS = 22
const LIMB_BYTES = 4
const LIMB = 2 ** (8 * LIMB_BYTES)
const BASE = 58
/** As many characters at once as leave a remainder before which a limb still makes a number that is exact. */
const STEP_CHARACTERS = 3
const STEP = BASE ** STEP_CHARACTERS
/** Of the id that is being made. */
const limbs = new Uint32Array(ID_BYTES / LIMB_BYTES)
const characters = Buffer.alloc(ID_CHARACTERS)

export type IdPrefix =
  | 'pay'
  | 'key'
  | 'acct'
  | 'wal'
  | 'evt'
  | 'req'
  | 'whk'
  | 'dlv'
  | 'mem'
  | 'ses'
  | 'psk'
  | 'aud'
  | 'trd'
  | 'esc'
export type Id<Prefix extends IdPrefix> = Brand<`${Prefix}_${string}`, Prefix>
export type PaymentId = Id<'pay'>
export type AccountId = Id<'acct'>
export type KeyId = Id<'key'>
export type WalletId = Id<'wal'>
export type WebhookId = Id<'whk'>
export type DeliveryId = Id<'dlv'>
export type EventId = Id<'evt'>
export type MemberId = Id<'mem'>
export type SessionId = Id<'ses'>
export type PasskeyId = Id<'psk'>
export type AuditId = Id<'aud'>
export type TradeId = Id<'trd'>
export type EscrowCallId = Id<'esc'>

/**
 * A new id: the prefix and 128 random bits as 22 base58 characters, padded with "1" on the left. Every request and every event has one, so it is
 * made without a bigint: 0.6 us instead of 1.1.
 */
export function newId<Prefix extends IdPrefix>(random: Random, prefix: Prefix): Id<Prefix> {
  const bytes = random.bytes(ID_BYTES)
  for (let limb = 0; limb < limbs.length; limb += 1) {
    const at = limb * LIMB_BYTES
    let value = 0
    for (let index = at; index < at + LIMB_BYTES; index += 1) {
      value = value * 256 + (bytes[index] ?? 0)
    }
    limbs[limb] = value
  }
  for (let end = ID_CHARACTERS; end > 0; end -= STEP_CHARACTERS) {
    let digits = divideLimbs()
    for (let place = end - 1; place >= Math.max(0, end - STEP_CHARACTERS); place -= 1) {
      characters[place] = ID_ALPHABET.charCodeAt(digits % BASE)
      digits = Math.floor(digits / BASE)
    }
  }
  return `${prefix}_${characters.toString('latin1')}` as Id<Prefix>
}

/** Divides what the limbs hold by STEP, and gives the remainder. */
function divideLimbs(): number {
  let remainder = 0
  for (let limb = 0; limb < limbs.length; limb += 1) {
    const value = remainder * LIMB + (limbs[limb] ?? 0)
    const quotient = Math.floor(value / STEP)
    limbs[limb] = quotient
    // Exact, and a quarter of what % of numbers beyond 32 bits takes.
    remainder = value - quotient * STEP
  }
  return remainder
}

const BODY = /^[1-9A-HJ-NP-Za-km-z]{22}$/

/** Reads an id of the given kind, else undefined. */
export function parseId<Prefix extends IdPrefix>(
  prefix: Prefix,
  text: string,
): Id<Prefix> | undefined {
  return text.startsWith(`${prefix}_`) && BODY.test(text.slice(prefix.length + 1))
    ? (text as Id<Prefix>)
    : undefined
}
