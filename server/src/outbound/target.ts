import { isIP } from 'node:net'
import { limits } from '../kernel/limits.ts'

/** Somebody else's address, read: where to dial and whom to greet there. */
export interface Target {
  readonly url: URL
  readonly isEncrypted: boolean
  /** A name without a final dot, or an IP address without brackets. */
  readonly host: string
  readonly isLiteral: boolean
  readonly port: number
}

/** Why an address is not called, in words that may be shown to whoever gave it. */
export type TargetProblem =
  'not_a_url' | 'scheme_not_allowed' | 'credentials_in_url' | 'port_not_allowed'

const PORTS = { 'http:': 80, 'https:': 443 } as const

/**
 * Reads somebody else's address. The parser of the WHATWG URL standard turns every spelling of an IPv4 address (decimal, octal,
 * hexadecimal, short) into the one of four numbers, so there is one form left to vet.
 */
export function readTarget(
  text: string,
  { allowHttp, ports }: { readonly allowHttp: boolean; readonly ports: readonly number[] | 'any' },
): { readonly ok: true; readonly target: Target } | { readonly ok: false; reason: TargetProblem } {
  const url = text.length > limits.outboundUrlCharactersMax ? null : URL.parse(text)
  if (url === null) return { ok: false, reason: 'not_a_url' }
  const { protocol } = url
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) {
    return { ok: false, reason: 'scheme_not_allowed' }
  }
  if (url.username !== '' || url.password !== '') return { ok: false, reason: 'credentials_in_url' }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (host === '') return { ok: false, reason: 'not_a_url' }
  const port = url.port === '' ? PORTS[protocol] : Number(url.port)
  if (ports !== 'any' && !ports.includes(port)) return { ok: false, reason: 'port_not_allowed' }
  const isLiteral = isIP(host) !== 0
  return { ok: true, target: { url, isEncrypted: protocol === 'https:', host, isLiteral, port } }
}
