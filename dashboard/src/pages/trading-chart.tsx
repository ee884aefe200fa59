import { useMemo, useState } from 'react'
import { CANDLE_INTERVALS, CANDLE_SECONDS } from '@florin/wire/token.ts'
import type { CandleInterval } from '@florin/wire/token.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { priceText } from '../format/price-text.ts'
import { Candles } from '../parts/candles.tsx'
import { Card } from '../parts/card.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Segments } from '../parts/segments.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import type { Token } from './trading.tsx'
import { nameOf } from './trading-tokens.tsx'

const CANDLES = 90
const REFETCH_SECONDS = 3
const DIGITS = 4
const axisText = (value: number) => {
  const text = value.toPrecision(DIGITS)
  return text.includes('e') ? text : text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
}

/** What the price of a token did. */
export function TradingChart({ token }: { token: Token }) {
  const assets = useAssets()
  const [interval, setInterval] = useState<CandleInterval>('1m')
  const { mint, network } = token
  const { data, error, refetch } = useAnswer(
    'GET /token/candles/{mint}',
    { params: { mint }, query: { network, interval, limit: CANDLES } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const candles = useMemo(
    () =>
      data?.candles.map(({ time, open, high, low, close }) => ({
        time,
        open: Number(open),
        high: Number(high),
        low: Number(low),
        close: Number(close),
      })),
    [data],
  )
  const unit = assets.symbol(network, 'native')
  const last = data?.candles.at(-1)
  return (
    <Card
      title={`${nameOf(token)} in ${unit}`}
      actions={
        <Segments
          label="Length of a candle"
          choices={CANDLE_INTERVALS.map((value) => ({ value, label: value }))}
          chosen={interval}
          onChoose={setInterval}
        />
      }
    >
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : candles === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <Candles
          label={
            last === undefined
              ? 'No trade was seen yet.'
              : `${candles.length} candles of ${interval}; the last closed at ${priceText(last.close)} ${unit}.`
          }
          candles={candles}
          seconds={CANDLE_SECONDS[interval]}
          format={axisText}
        />
      )}
    </Card>
  )
}
