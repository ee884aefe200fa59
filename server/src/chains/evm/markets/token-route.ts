import type { Address } from '../../chain.ts'
import type { Quote, QuoteOrder } from '../../venue.ts'
import { parseAddress } from '../account.ts'

/** From what goes in to what comes out: two tokens, or three with a hub between them. */
export type TokenPath = readonly [Address, Address] | readonly [Address, Address, Address]

/** A token, and the one that it is swapped for. */
export type TokenPair = readonly [Address, Address]

/** A path with its pools, the first one first. */
export interface TokenRoute {
  readonly path: TokenPath
  readonly pools: readonly [Address, ...Address[]]
}

/** The ways that a trade can take: the pool of both sides, and through each hub. */
export function pathsOf(
  { side, token: { mint } }: Pick<QuoteOrder, 'side' | 'token'>,
  wrapped: Address,
  hubs: readonly Address[],
): readonly TokenPath[] {
  const [from, to] = side === 'buy' ? [wrapped, mint] : [mint, wrapped]
  const between = hubs.filter((hub) => hub !== wrapped && hub !== mint)
  return [[from, to], ...between.map((hub): TokenPath => [from, hub, to])]
}

export function pairsOf([first, second, third]: TokenPath): readonly [TokenPair, ...TokenPair[]] {
  return third === undefined
    ? [[first, second]]
    : [
        [first, second],
        [second, third],
      ]
}

/** A route as a quote keeps it: `pool` is the token's own, `hubPool` the one of the hub and the native currency. */
export function routeFields(
  { side }: Pick<QuoteOrder, 'side'>,
  { path: [, hub, end], pools: [first, second] }: TokenRoute,
): Readonly<Record<string, string>> {
  if (end === undefined || second === undefined) return { pool: first }
  const [pool, hubPool] = side === 'sell' ? [first, second] : [second, first]
  return { pool, hub, hubPool }
}

/** The route of a quote. Throws where the quote has none. */
export function routeOf({ side, token, route }: Quote, wrapped: Address): TokenRoute {
  const pool = addressIn(route, 'pool')
  const [from, to] = side === 'buy' ? [wrapped, token.mint] : [token.mint, wrapped]
  if (route['hub'] === undefined) return { path: [from, to], pools: [pool] }
  const hubPool = addressIn(route, 'hubPool')
  return {
    path: [from, addressIn(route, 'hub'), to],
    pools: side === 'sell' ? [pool, hubPool] : [hubPool, pool],
  }
}

function addressIn(route: Quote['route'], field: string): Address {
  const found = parseAddress(route[field] ?? '')
  if (found === undefined) throw new Error(`a quote without its ${field}`)
  return found
}
