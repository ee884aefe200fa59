import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import { CANDLE_SECONDS } from '@florin/wire/token.ts'
import type { CandleInterval } from '@florin/wire/token.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { readCandles } from '../markets/candle-store.ts'
import { priceText } from '../markets/price.ts'
import type { Ratio } from '../markets/price.ts'
import { knownTokens } from '../markets/token-store.ts'
import type { Store } from '../store/postgres.ts'

/** The longest time that is looked at when nobody says from when: as much as short candles are kept. */
const LOOK_BACK_DAYS = { '1m': 30, '5m': 30, '1h': 400, '1d': 400 } as const satisfies Record<
  CandleInterval,
  number
>
const DAY_MILLISECONDS = 86_400_000

export interface CandleDeps {
  readonly store: Store
  readonly clock: Clock
}

/** What was asked for, with what was left out filled in. */
export interface CandleOrder {
  readonly interval: CandleInterval
  readonly fromMilliseconds: number | undefined
  readonly toMilliseconds: number | undefined
  readonly count: number
}

/** A token's candles; undefined when no market has shown it. */
export async function candlesOf(
  { store, clock }: CandleDeps,
  { config }: Chain,
  mint: Address,
  { interval, fromMilliseconds, toMilliseconds, count }: CandleOrder,
) {
  const { network } = config
  const seconds = CANDLE_SECONDS[interval]
  const until = toMilliseconds ?? clock.nowMilliseconds() + seconds * 1000
  const longest = until - LOOK_BACK_DAYS[interval] * DAY_MILLISECONDS
  const window = {
    fromMilliseconds: Math.max(fromMilliseconds ?? 0, longest, 0),
    toMilliseconds: until,
  }
  return await store.inTransaction('service', async (tx) => {
    const [token] = await knownTokens(tx, network, [mint])
    if (token === undefined) return undefined
    const candles = await readCandles(tx, { network, mint, seconds, ...window, count })
    const native = nativeOf(config).decimals
    const shown = (ratio: Ratio) => new RawJson(priceText(ratio, { native, token: token.decimals }))
    return candles.map((candle) => ({
      time: candle.startMilliseconds,
      open: shown(candle.open),
      high: shown(candle.high),
      low: shown(candle.low),
      close: shown(candle.close),
      nativeVolume: new RawJson(formatAmount(candle.nativeVolume, native)),
      nativeVolumeBaseUnits: candle.nativeVolume.toString(),
      trades: candle.trades,
    }))
  })
}
