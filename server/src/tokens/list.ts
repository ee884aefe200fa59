import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { changeText } from '../markets/change-text.ts'
import { configuredSymbol, tokenText } from '../markets/know-tokens.ts'
import { figuresOfTokens } from '../markets/list-store.ts'
import { hubsOf } from '../markets/hubs.ts'
import { latestPrices, liquidityOf } from '../markets/price-store.ts'
import { priceText } from '../markets/price.ts'
import { marketTokens } from '../markets/token-store.ts'
import { usdPerToken, usdRate } from '../markets/usd.ts'
import type { Store } from '../store/postgres.ts'

const DAY_MILLISECONDS = 86_400_000

/** The tokens of a network's markets, the deepest first. Asks no node. */
export async function listTokens(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { config }: Chain,
  count: number,
) {
  const { network, assets } = config
  const hubs = hubsOf(config)
  const dayAgo = clock.nowMilliseconds() - DAY_MILLISECONDS
  const { tokens, prices, figures, rate } = await store.inTransaction('service', async (tx) => {
    const found = await marketTokens(tx, network, count, hubs)
    const mints = found.map(({ mint }) => mint)
    return {
      tokens: found,
      prices: await latestPrices(tx, network, mints, hubs),
      figures: await figuresOfTokens(tx, network, mints, dayAgo),
      rate: await usdRate(tx, config),
    }
  })
  const native = nativeOf({ assets }).decimals
  const latest = new Map(prices.map((price) => [price.mint, price]))
  const whole = (units: bigint | null | undefined) =>
    units === null || units === undefined ? null : new RawJson(formatAmount(units, native))
  const number = (text: string | null) => (text === null ? null : new RawJson(text))
  return tokens.map(({ mint, decimals, symbol, name }) => {
    const [price, figure] = [latest.get(mint), figures.get(mint)]
    const ratio = price?.ratio
    return {
      mint,
      network,
      name: tokenText(name),
      // What the operator calls a token goes before what it calls itself.
      symbol: configuredSymbol(config, mint) ?? tokenText(symbol),
      decimals,
      price:
        ratio === undefined ? null : new RawJson(priceText(ratio, { native, token: decimals })),
      priceUsd: number(ratio === undefined ? null : usdPerToken(ratio, decimals, rate)),
      priceChange24h: number(changeText(figure?.dayAgo ?? null, ratio)),
      liquidity: whole(liquidityOf(figure, price)),
      volume24h: whole(figure?.dayVolume),
    }
  })
}
