import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { openRecent } from '../kernel/recent.ts'
import { Secret } from '../kernel/secret.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Random } from '../kernel/random.ts'

export type KeyMode = 'live' | 'test'

/** A well-formed bearer key; whether anybody holds it, the database knows. Its text cannot be printed by accident. */
export interface ApiKey {
  readonly mode: KeyMode
  readonly text: Secret
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_BYTES = 20
const SALT_BYTES = 32
/** More than any key has. */
const KEY_CHARACTERS_MAX = 64
// 62^27 > 2^160 and 62^6 > 2^32.
const RANDOM_CHARACTERS = 27
const CHECKSUM_CHARACTERS = 6

/** What a secret scanner should look for. */
export const KEY_PATTERN = /^florin_(live|test)_[0-9A-Za-z]{27}_[0-9A-Za-z]{6}$/

/** A new key of 160 random bits, with a checksum that tells a typo from a key without asking the database. */
export function makeKey(random: Random, mode: KeyMode): ApiKey {
  const bytes = random.bytes(RANDOM_BYTES)
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const body = `florin_${mode}_${base62(value, RANDOM_CHARACTERS)}`
  return { mode, text: new Secret(`${body}_${checksum(body)}`) }
}

/** Reads a key, else undefined: wrong form, or a checksum that does not fit. */
export function parseKey(text: string): ApiKey | undefined {
  const mode = KEY_PATTERN.exec(text)?.[1]
  if (mode !== 'live' && mode !== 'test') return undefined
  const cut = text.length - CHECKSUM_CHARACTERS - 1
  const sound = checksum(text.slice(0, cut)) === text.slice(cut + 1)
  return sound ? { mode, text: new Secret(text) } : undefined
}

/** What is stored of a key: HMAC-SHA-256 under the installation's pepper, so that a stolen table is useless alone. */
export function keyDigest(key: ApiKey, pepper: SecretBytes): Uint8Array {
  return createHmac('sha256', pepper.reveal()).update(key.text.reveal()).digest()
}

/**
 * Gives the digest of a presented key, undefined for what is none. Reading one and making its digest takes 10 us, finding it 2. Found by a hash
 * under a salt that only this process has, so that nothing that is kept shows a key.
 */
export function openKnownDigests(
  { pepper, random }: { readonly pepper: SecretBytes; readonly random: Random },
  countMax: number,
): (text: string) => Uint8Array | undefined {
  const salt = Buffer.from(random.bytes(SALT_BYTES)).toString('hex')
  const known = openRecent<Uint8Array>(countMax)
  return (text) => {
    if (text.length > KEY_CHARACTERS_MAX) return undefined
    const name = hash('sha256', salt + text, 'base64')
    const kept = known.get(name)
    if (kept !== undefined) return kept
    const key = parseKey(text)
    if (key === undefined) return undefined
    const digest = keyDigest(key, pepper)
    known.set(name, digest)
    return digest
  }
}

/** Compares two digests in a time that does not depend on where they differ. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The end of a key, by which a person tells their keys apart. */
export function lastFourOf(key: ApiKey): string {
  return key.text.reveal().slice(-4)
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_CHARACTERS)
}

function base62(value: bigint, characters: number): string {
  let text = ''
  let rest = value
  for (let position = 0; position < characters; position += 1) {
    text = BASE62.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}
