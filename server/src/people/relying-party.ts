import { isIP } from 'node:net'
import { isLoopback } from './loopback.ts'

/** Where passkeys of this installation are good: a name, since an address of numbers cannot have any. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/**
 * Read from the address that callers know. On loopback it is localhost at the same port, which browsers treat as safe; any other
 * address of numbers has no passkeys: undefined. Source: Web Authentication Level 3, 5.1.3 (a domain, never an IP address).
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const url = URL.parse(baseUrl)
  if (url === null) return undefined
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0) return { id: host, origin: url.origin }
  if (!isLoopback(host)) return undefined
  const port = url.port === '' ? '' : `:${url.port}`
  return { id: 'localhost', origin: `${url.protocol}//localhost${port}` }
}
