import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'

const RANDOM_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits as text. */
export function newToken(random: Random): Secret {
  return new Secret(Buffer.from(random.bytes(RANDOM_BYTES)).toString('base64url'))
}

/** Reads a token, else undefined: wrong form. */
export function parseToken(text: string): Secret | undefined {
  return TOKEN.test(text) ? new Secret(text) : undefined
}

/** What is stored of it: 256 random bits need no slow hash. */
export function tokenDigest(token: Secret): Uint8Array {
  return createHash('sha256').update(token.reveal()).digest()
}

/** What a page of ours knows of the token of its cookie, and no other page can: it changes with the token. */
export function csrfTokenOf(token: Secret): Secret {
  return new Secret(
    createHmac('sha256', token.reveal()).update('florin-csrf-v1').digest('base64url'),
  )
}

/** Compares two texts in a time that does not depend on where they differ. */
export function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
