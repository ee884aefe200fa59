import { canonicalAddress } from '@florin/wire/address.ts'
import type { Address } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { MarketDeps } from './market-deps.ts'
import { knownTokens } from './token-store.ts'
import type { KnownToken } from './token-store.ts'

/**
 * The tokens of these facts by their mint, those that are none left out. Asks the chain once for all that no market has shown before, as of the blocks
 * that showed them: what is left out here is left out for good. A failure decides nothing.
 * @throws {NodeFailure}
 */
export async function knowTokens(
  { chain, store }: Pick<MarketDeps, 'chain' | 'store'>,
  facts: readonly { readonly mint: Address; readonly height: bigint }[],
): Promise<ReadonlyMap<string, KnownToken>> {
  const mints = [...new Set(facts.map(({ mint }) => mint))]
  if (mints.length === 0) return new Map()
  const known = await store.inTransaction('service', (tx) =>
    knownTokens(tx, chain.config.network, mints),
  )
  const tokens = new Map<string, KnownToken>(known.map((token) => [token.mint, token]))
  const unknown = mints.filter((mint) => !tokens.has(mint))
  if (unknown.length === 0) return tokens
  const height = facts.reduce((most, fact) => (fact.height > most ? fact.height : most), 0n)
  for (const found of await chain.tokens.facts(unknown, height)) {
    if (found === undefined) continue
    const { mint, decimals, symbol, name } = found
    const own = configuredSymbol(chain.config, mint) ?? tokenText(symbol)
    tokens.set(mint, { mint, decimals, symbol: own, name: tokenText(name) })
  }
  return tokens
}

/** What a token says of itself, without what no screen and no database takes, and not too long. */
export function tokenText(text: string | null): string | null {
  const plain = text?.replaceAll(/\p{C}/gu, '').trim()
  const cut = [...(plain ?? '')].slice(0, limits.tokenTextCharactersMax).join('')
  return cut === '' ? null : cut
}

/** What the operator calls a token, which goes before what it calls itself. */
export function configuredSymbol({ assets }: NetworkConfig, mint: Address): string | null {
  return assets.find(({ asset }) => canonicalAddress(asset) === mint)?.symbol ?? null
}
