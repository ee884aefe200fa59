import type { Secret } from '../kernel/secret.ts'
import { parseToken } from './token.ts'

/**
 * The prefix makes browsers hold us to Secure, Path=/ and no Domain. They take such a cookie over plain HTTP from loopback alone.
 * Source: RFC 6265bis, 4.1.3.2.
 */
const SESSION_COOKIE = '__Host-florin_session'

const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** The token among these values of the Cookie header. Given twice, or of wrong form, there is none. */
export function readSessionCookie(values: readonly string[]): Secret | undefined {
  const found = values
    .flatMap((value) => value.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    .map((pair) => pair.slice(SESSION_COOKIE.length + 1))
  return found.length === 1 && found[0] !== undefined ? parseToken(found[0]) : undefined
}

/** Whether a request came with a cookie of ours, good or not. */
export function hasSessionCookie(values: readonly string[]): boolean {
  return values.some((value) => value.includes(`${SESSION_COOKIE}=`))
}

/** The header that gives the browser its session. */
export function sessionCookie(token: Secret, seconds: number): Readonly<Record<string, string>> {
  return { 'set-cookie': `${SESSION_COOKIE}=${token.reveal()}; ${ATTRIBUTES}; Max-Age=${seconds}` }
}

/** The header that takes it away. */
export function noSessionCookie(): Readonly<Record<string, string>> {
  return { 'set-cookie': `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0` }
}
