import { isIP } from 'node:net'
import { isGlobalAddress } from '../outbound/global-address.ts'

const RESOURCE_CHARACTERS_MAX = 1_024
const TEMPLATE = /^\/[a-zA-Z0-9_/:.\-~%]+$/
const DECODINGS_MAX = 5
/** Names that mean nobody's public host. Source: RFC 6761, RFC 6762, RFC 8375. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|home\.arpa|test|invalid)$/

/**
 * The one spelling of the address of a resource: origin and path, or the template of the path where the path has parameters. Undefined
 * for what is no address of the web. Source: x402 2.27, bazaar.
 */
export function resourceUrl(text: unknown, template: unknown): string | undefined {
  const url = webUrl(text)
  if (url === undefined) return undefined
  const path = isTemplate(template) ? template : url.pathname
  const resource = `${url.origin}${path}`
  return resource.length <= RESOURCE_CHARACTERS_MAX ? resource : undefined
}

/** Whether the host of an address may be found by everybody: no private name, no address of a closed network. */
export function isPublicUrl(text: string): boolean {
  const host = webUrl(text)?.hostname.replace(/\.$/, '')
  if (host === undefined) return false
  const address = host.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0) return isGlobalAddress(address)
  return host.includes('.') && !PRIVATE_NAME.test(host)
}

/** An address of the web that carries no credentials. */
export function webUrl(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > 2 * RESOURCE_CHARACTERS_MAX) return undefined
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  return url.username === '' && url.password === '' ? url : undefined
}

/** A path with named parts that leads nowhere else, however often it is decoded. */
export function isTemplate(value: unknown): value is string {
  if (typeof value !== 'string' || !TEMPLATE.test(value)) return false
  let decoded = value
  for (let times = 0; times < DECODINGS_MAX; times += 1) {
    let next: string
    try {
      next = decodeURIComponent(decoded)
    } catch {
      return false
    }
    if (next === decoded) return !decoded.includes('..') && !decoded.includes('://')
    decoded = next
  }
  return false
}
