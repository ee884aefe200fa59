import type { Brand } from '@florin/wire/brand.ts'
import type { Random } from './random.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ID_BYTES = 16
const ID_CHARACTERS = 22
/** As many characters as a number holds exactly: three large divisions for an id instead of twenty-two. */
const STEP_CHARACTERS = 9
const STEP = 58n ** BigInt(STEP_CHARACTERS)

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

/** A new id: the prefix and 128 random bits as 22 base58 characters, padded with "1" on the left. */
export function newId<Prefix extends IdPrefix>(random: Random, prefix: Prefix): Id<Prefix> {
  let value = BigInt(`0x${Buffer.from(random.bytes(ID_BYTES)).toString('hex')}`)
  let text = ''
  while (text.length < ID_CHARACTERS) {
    let step = Number(value % STEP)
    value /= STEP
    const end = Math.min(text.length + STEP_CHARACTERS, ID_CHARACTERS)
    while (text.length < end) {
      text = (ALPHABET[step % 58] ?? '1') + text
      step = Math.floor(step / 58)
    }
  }
  return `${prefix}_${text}` as Id<Prefix>
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
