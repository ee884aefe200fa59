import { Refusal } from '@florin/wire/errors.ts'
import { isSameOrigin } from '../http/same-origin.ts'
import type { Secret } from '../kernel/secret.ts'
import { readSessionCookie } from './cookie.ts'

const USER_AGENT_CHARACTERS_MAX = 200

/** Somebody who wants to sign in, before anybody knows who. */
export interface Visit {
  readonly address: string
  readonly requestId: string
  readonly userAgent: string
  /** Of the session that the browser has already, good or not. */
  readonly earlier: Secret | undefined
}

/** Reads it from a request. @throws {Refusal} FORBIDDEN when a page of somebody else wants to sign its reader in */
export function visitOf({
  client,
  header,
  requestId,
}: {
  readonly client: { readonly address: string }
  header(name: string): readonly string[]
  readonly requestId: string
}): Visit {
  const [site] = header('sec-fetch-site')
  const [origin] = header('origin')
  // A program that is no browser says neither, and has no reader who could be deceived.
  if (site !== undefined || origin !== undefined) {
    if (!isSameOrigin({ site, origin, host: header('host').at(0) })) {
      throw new Refusal('FORBIDDEN', {
        message: 'Sign in on the page of this service.',
        details: { Origin: 'must be the address of this service' },
      })
    }
  }
  return {
    address: client.address,
    requestId,
    userAgent: printable(header('user-agent').at(0) ?? ''),
    earlier: readSessionCookie(header('cookie')),
  }
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, USER_AGENT_CHARACTERS_MAX)
}
