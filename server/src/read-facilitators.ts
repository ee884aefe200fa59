import type { RemoteFacilitator } from './facilitator/remote.ts'
import { Secret } from './kernel/secret.ts'

/**
 * Reads the list of other facilitators: addresses with commas between them, `https://:KEY@host/x402` for one that wants a bearer token.
 * Undefined when one of them is none; which one is not said, since it may hold a key.
 */
export function readFacilitators(text: string): readonly RemoteFacilitator[] | undefined {
  const read = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(facilitatorFrom)
  const facilitators = read.filter((each) => each !== undefined)
  const isDouble = new Set(facilitators.map(({ url }) => url)).size < facilitators.length
  return facilitators.length < read.length || isDouble ? undefined : facilitators
}

function facilitatorFrom(text: string): RemoteFacilitator | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.search !== '' || url.hash !== '') return undefined
  const key = url.password === '' ? null : new Secret(decodeURIComponent(url.password))
  url.password = ''
  return { url: url.href.replace(/\/+$/, ''), key }
}

/** The ports that they are reached at, so that no other one is dialled. */
export function portsOf(facilitators: readonly RemoteFacilitator[]): readonly number[] {
  return facilitators.map(({ url }) => Number(new URL(url).port || 443))
}
