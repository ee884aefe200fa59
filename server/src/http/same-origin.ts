/**
 * Whether a page of this very address asks. A browser's own word for it is Sec-Fetch-Site; where that is missing (it is left out over
 * plain HTTP, and on sockets), the origin must be at the host that was asked. Source: Fetch Metadata Request Headers, 2.3.
 */
export function isSameOrigin({
  site,
  origin,
  host,
}: {
  readonly site?: string | undefined
  readonly origin: string | undefined
  readonly host: string | undefined
}): boolean {
  if (site !== undefined) return site === 'same-origin'
  if (origin === undefined || host === undefined) return false
  return URL.parse(origin)?.host === host.toLowerCase()
}
