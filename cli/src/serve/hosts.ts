import { canonicalAddress } from '@florin/server/http/client-address.ts'

const EXAMPLE = /(?:^|\.)(?:example(?:\.(?:com|org|net))?|invalid)$|(?:^|[.-])your-/i

/** Whether a host is this machine itself. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const address = canonicalAddress(bare)
  if (address !== undefined) return address === '::1' || address.startsWith('127.')
  return bare === 'localhost' || bare.endsWith('.localhost')
}

/** Whether a host stands in documents only. Source: RFC 2606. */
export function isExample(host: string): boolean {
  return EXAMPLE.test(host)
}
