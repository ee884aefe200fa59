/**
 * A resource rule in its one spelling, or undefined when it is none: an http or https URL without credentials, query
 * or fragment. `https://seller.example` allows the origin, `https://seller.example/v1` that path and all below it.
 */
export function parseResourceRule(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) return undefined
  return hidesPath(url.pathname) ? undefined : url.href
}

/**
 * Whether a rule allows a resource. Compared on parsed URLs: same origin, then whole path segments, so `/v1` allows
 * `/v1/quote` but not `/v10`, and `seller.example.evil.example` is another origin.
 */
export function allowsResource(rule: string, resource: string): boolean {
  const allowed = URL.parse(rule)
  const asked = URL.parse(resource)
  if (allowed === null || asked === null || allowed.origin !== asked.origin) return false
  if (asked.origin === 'null' || asked.username !== '' || asked.password !== '') return false
  const start = allowed.pathname.replace(/\/$/, '')
  if (start === '') return true
  if (hidesPath(asked.pathname)) return false
  return asked.pathname === start || asked.pathname.startsWith(`${start}/`)
}

/**
 * Whether a server might read this path as another one than it looks. URL parsing resolves `..` and `%2e%2e`, but
 * servers that decode late also see `%2f`, `%5c`, `%252e` or `..;` as ways up.
 */
function hidesPath(pathname: string): boolean {
  return /%(2f|5c|25|00)/i.test(pathname) || /\/(\.|%2e){2}/i.test(pathname)
}
