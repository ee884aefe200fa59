import { useMemo, useState } from 'react'
import { CANDLE_INTERVALS, CANDLE_SECONDS } from '@florin/wire/token.ts'
import type { CandleInterval } from '@florin/wire/token.ts'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { exactText } from '../format/amount-text.ts'
import { countText } from '../format/count-text.ts'
import { priceText } from '../format/price-text.ts'
import { stretchText, utcDayText } from '../format/time-text.ts'
import { Candles } from '../parts/candles.tsx'
import { Card } from '../parts/card.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import type { Reading } from '../parts/reading.ts'
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

type Candle = Answer<'GET /token/candles/{mint}'>['candles'][number]

/** A candle in figures, to their last digit. */
function readingOf(candle: Candle | undefined, seconds: number, unit: string): Reading {
  if (candle === undefined) return { when: 'No trade', figures: [] }
  const { time, open, high, low, close, nativeVolume, trades } = candle
  const amount = (text: string) => `${exactText(text)} ${unit}`
  return {
    when:
      seconds < CANDLE_SECONDS['1d'] ? stretchText(time, time + seconds * 1_000) : utcDayText(time),
    figures: [
      { name: 'Open', value: amount(open) },
      { name: 'High', value: amount(high) },
      { name: 'Low', value: amount(low) },
      { name: 'Close', value: amount(close) },
      { name: 'Volume', value: amount(nativeVolume) },
      { name: 'Trades', value: trades.toLocaleString('en') },
    ],
  }
}

/** What the price of a token did. */
export function TradingChart({ token }: { token: Token }) {
  const assets = useAssets()
  const [interval, setInterval] = useState<CandleInterval>('1m')
  const { mint, network } = token
  const read = useAnswer(
    'GET /token/candles/{mint}',
    { params: { mint }, query: { network, interval, limit: CANDLES } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const { data, error } = read
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
      <ReadFault of={read} />
      {candles === undefined ? (
        error === null ? (
          <Skeleton className="h-64 w-full" />
        ) : null
      ) : (
        <Candles
          label={
            last === undefined
              ? 'No trade was seen yet.'
              : `${countText(candles.length, 'candle')} of ${interval}; the last closed at ${priceText(last.close)} ${unit}.`
          }
          candles={candles}
          seconds={CANDLE_SECONDS[interval]}
          format={axisText}
          read={(step) => readingOf(data?.candles[step], CANDLE_SECONDS[interval], unit)}
        />
      )}
    </Card>
  )
}
