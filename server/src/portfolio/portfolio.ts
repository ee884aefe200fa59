import { formatAmount } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { TokenHolding } from '../chains/token-reader.ts'
import { isCurrencyToken } from '../kernel/currency-tokens.ts'
import { limits } from '../kernel/limits.ts'
import { configuredSymbol } from '../markets/know-tokens.ts'
import { hubsOf } from '../markets/hubs.ts'
import { latestPrices } from '../markets/price-store.ts'
import { priceText, valueOf } from '../markets/price.ts'
import type { LatestPrice } from '../markets/through-hub.ts'
import { knownTokens, marketTokens } from '../markets/token-store.ts'
import { usdRate, usdText } from '../markets/usd.ts'
import type { Store } from '../store/postgres.ts'
import { nativeOf } from '../kernel/network-config.ts'

export interface PortfolioDeps {
  readonly store: Store
  /** What a token calls itself, as far as somebody has asked it before; asks nobody. */
  symbolOf(chain: Chain, mint: Address): string | null
}

/**
 * What an address holds and what it is worth. At most two node round trips, all for the balances. EVM: native currency, the configured assets
 * and the limits.portfolioTokensMax deepest tokens of markets, and `more`; Solana: everything. A configured asset, or one of `more`, that cannot be read
 * is `unread`. A token that is the native currency is no holding of its own.
 * @throws {Refusal} UNSUPPORTED_NETWORK where the chain tells no holdings
 * @throws {NodeFailure}
 */
export async function portfolioOf(
  { store, symbolOf }: PortfolioDeps,
  chain: Chain,
  address: Address,
  more: readonly Address[] = [],
) {
  const { config, tokens: reader } = chain
  if (reader === undefined) {
    throw new Refusal('UNSUPPORTED_NETWORK', { details: { network: 'tells nobody its holdings' } })
  }
  const { network } = config
  const hubs = hubsOf(config)
  const traded = await store.inTransaction('service', (tx) =>
    marketTokens(tx, network, limits.portfolioTokensMax, hubs),
  )
  const isOwn = (mint: string) => !isCurrencyToken(config, mint)
  const configured = config.assets.flatMap(({ asset }) => chain.parseAddress(asset) ?? [])
  const held = await reader.holdings(address, [
    ...new Set([...configured, ...traded.map(({ mint }) => mint), ...more].filter(isOwn)),
  ])
  const holdings = held.tokens.filter(({ mint, amount }) => amount > 0n && isOwn(mint))
  // Strangers make the tokens of markets: one of theirs that fails is nobody's missing balance.
  const awaited = new Set([...configured, ...more].filter(isOwn))
  const unread = (held.unread ?? []).filter((mint) => awaited.has(mint))
  const mints = holdings.map(({ mint }) => mint)
  const { prices, known, rate } = await store.inTransaction('service', async (tx) => ({
    prices: new Map(
      (await latestPrices(tx, network, mints, hubs)).map((price) => [price.mint, price]),
    ),
    known: new Map(
      (await knownTokens(tx, network, [...mints, ...unread])).map((token) => [token.mint, token]),
    ),
    rate: await usdRate(tx, config),
  }))
  const native = nativeOf(config).decimals
  const valued = holdings
    .map((holding) => ({ holding, value: worthOf(holding, prices.get(holding.mint)) }))
    .sort((left, right) => byValue(left.value, right.value))
  const total = valued.reduce((sum, { value }) => sum + (value ?? 0n), held.native)
  const symbolFor = (mint: Address) =>
    configuredSymbol(config, mint) ?? known.get(mint)?.symbol ?? symbolOf(chain, mint)
  const whole = (units: bigint) => new RawJson(formatAmount(units, native))
  return {
    publicKey: address,
    network,
    nativeBalance: whole(held.native),
    nativeBalanceBaseUnits: held.native.toString(),
    totalValue: whole(total),
    totalValueBaseUnits: total.toString(),
    totalValueUsd: number(usdText(total, rate)),
    unvalued: valued.filter(({ value }) => value === null).length,
    tokens: valued.map(({ holding: { mint, decimals, amount }, value }) => {
      const price = prices.get(mint)
      return {
        mint,
        symbol: symbolFor(mint),
        decimals,
        balance: new RawJson(formatAmount(amount, decimals)),
        balanceBaseUnits: amount.toString(),
        price:
          price === undefined
            ? null
            : new RawJson(priceText(price.ratio, { native, token: decimals })),
        value: value === null ? null : whole(value),
        valueBaseUnits: value?.toString() ?? null,
        valueUsd: number(usdText(value, rate)),
      }
    }),
    ...(unread.length === 0
      ? {}
      : { unread: unread.map((mint) => ({ mint, symbol: symbolFor(mint) })) }),
    blockHeight: Number(held.height),
    sandbox: config.sandbox,
  }
}

/** What a holding is worth; null when nobody knows, or when its market does not hold that much: such a price is only on paper. */
function worthOf({ amount }: TokenHolding, price: LatestPrice | undefined): bigint | null {
  if (price === undefined) return null
  const value = valueOf(amount, price.ratio)
  return price.depth !== null && value > price.depth ? null : value
}

function byValue(left: bigint | null, right: bigint | null): number {
  if (left === right) return 0
  if (left === null) return 1
  if (right === null) return -1
  return left > right ? -1 : 1
}

function number(text: string | null): RawJson | null {
  return text === null ? null : new RawJson(text)
}
