import type { Brand } from '@florin/wire/brand.ts'
import type { Random } from './random.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ID_BYTES = 16
const ID_CHARACTERS = 22

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
  for (let position = 0; position < ID_CHARACTERS; position += 1) {
    text = (ALPHABET[Number(value % 58n)] ?? '1') + text
    value /= 58n
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
