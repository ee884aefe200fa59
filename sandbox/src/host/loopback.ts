import type { IncomingMessage } from 'node:http'

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Whether a request was meant for this machine: a page whose name was rebound to 127.0.0.1 still sends its own name
 * as Host, and a page that posts across origins sends its own Origin.
 */
export function isMeantForLoopback(request: IncomingMessage): boolean {
  const { host, origin } = request.headers
  if (host === undefined || !LOOPBACK_HOSTS.has(withoutPort(host))) return false
  if (origin === undefined) return true
  return (
    /^https?:\/\//.test(origin) &&
    LOOPBACK_HOSTS.has(withoutPort(origin.replace(/^https?:\/\//, '')))
  )
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, '')
}
