import { isIP } from 'node:net'
import type { Secret } from '../../kernel/secret.ts'

/** How to reach a node, and how to keep quiet about it. */
export interface NodeUrl {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Takes every part of the URL that may be a key out of a text. */
  readonly scrub: (text: string) => string
}

/** A shorter part of a URL ("v3", "rpc") is no key, and taking it out would only garble the text. */
const SECRET_CHARACTERS_MIN = 6

/** Opens a node's URL. Credentials in it become a header. */
export function openNodeUrl(secret: Secret): NodeUrl {
  const url = new URL(secret.reveal())
  const { username, password } = url
  url.username = ''
  url.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization =
    credentials === ':'
      ? {}
      : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  const parts = [username, password, url.hostname, ...url.pathname.split('/')]
    .concat([...url.searchParams.values()])
    .filter((part) => part.length >= SECRET_CHARACTERS_MIN)
  return {
    url: url.href,
    headers: { 'content-type': 'application/json', ...authorization },
    scrub: (text) => parts.reduce((clean, part) => clean.replaceAll(part, '[secret]'), text),
  }
}

const SHOWN_LABELS = 2

/**
 * Which node a URL means, in words that may be printed: an address or a short host name with its port; of a longer name only the
 * last two labels, because some providers put the key into the first.
 */
export function shownHost(secret: Secret): string {
  const { hostname, port } = new URL(secret.reveal())
  const labels = hostname.split('.')
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  const shown =
    isName && labels.length > SHOWN_LABELS ? `*.${labels.slice(-SHOWN_LABELS).join('.')}` : hostname
  return port === '' ? shown : `${shown}:${port}`
}
