import { Resolver } from 'node:dns/promises'

/** Every address of a name; none when there is no such name. Throws when nobody could say. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/** What a name server says when a name has no addresses of a kind: an answer, not a failure. */
const NONE = new Set(['ENOTFOUND', 'ENODATA'])
const QUERY_MILLISECONDS = 3_000
const QUERY_TRIES = 2

/**
 * Asks the machine's name servers. Not through getaddrinfo: its calls cannot be given up and share a few threads with the file
 * system and with cryptography, which slow names would hold.
 */
export const resolvePublicName: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: QUERY_MILLISECONDS, tries: QUERY_TRIES })
  const giveUp = () => resolver.cancel()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const failed = families.find(
      (family) => family.status === 'rejected' && !NONE.has(codeOf(family.reason)),
    )
    const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
    if (found.length === 0 && failed?.status === 'rejected') throw failed.reason
    return found
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
