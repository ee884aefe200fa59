import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { TokenFacts } from '../chains/token-reader.ts'
import type { Clock } from '../kernel/clock.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { changeText } from '../markets/change-text.ts'
import { configuredSymbol, tokenText } from '../markets/know-tokens.ts'
import { figuresOfTokens } from '../markets/list-store.ts'
import { hubsOf } from '../markets/hubs.ts'
import { latestPrices, liquidityOf } from '../markets/price-store.ts'
import { priceText, valueOf } from '../markets/price.ts'
import { usdPerToken, usdRate, usdText } from '../markets/usd.ts'
import type { Store } from '../store/postgres.ts'
import { invalidMint } from '../markets/resolve-mint.ts'
import type { TokenBook } from './token-facts.ts'

const DAY_MILLISECONDS = 86_400_000

export interface TokenDeps {
  readonly store: Store
  readonly clock: Clock
  readonly book: TokenBook
}

/** What is known of a token: its chain's own words, and what its markets showed. @throws {Refusal} INVALID_MINT @throws {NodeFailure} */
export async function tokenInfo(deps: TokenDeps, chain: Chain, mint: Address) {
  const { store, clock, book } = deps
  const { config } = chain
  const facts = await book.facts(chain, mint)
  if (facts === undefined) throw invalidMint('is no token of this network')
  const now = clock.nowMilliseconds()
  const [holders, market] = await Promise.all([
    book.holders(chain, mint),
    store.inTransaction('service', async (tx) => ({
      latest: (await latestPrices(tx, config.network, [mint], hubsOf(config)))[0],
      figures: (await figuresOfTokens(tx, config.network, [mint], now - DAY_MILLISECONDS)).get(
        mint,
      ),
      rate: await usdRate(tx, config),
    })),
  ])
  const { latest, figures, rate } = market
  const native = nativeOf(config).decimals
  const liquidity = liquidityOf(figures, latest)
  const whole = (units: bigint | null) =>
    units === null ? null : new RawJson(formatAmount(units, native))
  const cap = latest === undefined ? null : valueOf(facts.supply, latest.ratio)
  return {
    mint,
    network: config.network,
    ...ownWords(facts, configuredSymbol(config, mint)),
    price:
      latest === undefined
        ? null
        : new RawJson(priceText(latest.ratio, { native, token: facts.decimals })),
    priceUsd: number(latest === undefined ? null : usdPerToken(latest.ratio, facts.decimals, rate)),
    priceUpdatedAt: latest?.atMilliseconds ?? null,
    priceChange24h: number(changeText(figures?.dayAgo ?? null, latest?.ratio)),
    marketCap: whole(cap),
    marketCapUsd: number(usdText(cap, rate)),
    liquidity: whole(liquidity),
    liquidityBaseUnits: liquidity?.toString() ?? null,
    volume24h: whole(figures?.dayVolume ?? null),
    volume24hBaseUnits: figures?.dayVolume?.toString() ?? null,
    holders: holders === null ? null : Number(holders),
    sandbox: config.sandbox,
  }
}

function ownWords(facts: TokenFacts, configured: string | null) {
  return {
    name: tokenText(facts.name),
    // What the operator calls a token goes before what it calls itself.
    symbol: configured ?? tokenText(facts.symbol),
    decimals: facts.decimals,
    supply: new RawJson(formatAmount(facts.supply, facts.decimals)),
    supplyBaseUnits: facts.supply.toString(),
    creator: facts.creator,
    createdAt: facts.createdAtMilliseconds,
    image: facts.imageUrl,
    mintAuthority: facts.mintAuthority,
    freezeAuthority: facts.freezeAuthority,
    extensions: [...facts.extensions],
  }
}

function number(text: string | null): RawJson | null {
  return text === null ? null : new RawJson(text)
}
