import { useCallback, useState } from 'react'
import type { LiveMarketEvent } from '../api/live.ts'
import { useAssets } from '../api/use-assets.ts'
import { useTokenEvents } from '../app/live.tsx'
import { priceText } from '../format/price-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Card } from '../parts/card.tsx'
import { Short } from '../parts/short.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import type { Token } from './trading.tsx'
import { nameOf } from './trading-tokens.tsx'

const SHOWN_MAX = 12

interface Seen {
  readonly key: string
  readonly side: string
  readonly tokenAmount: string
  readonly price: string
  readonly trader: string
  readonly at: number
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Trades of the token by anybody, as blocks show them. */
export function TradingLive({ token }: { token: Token }) {
  const assets = useAssets()
  const [seen, setSeen] = useState<readonly Seen[]>([])
  const take = useCallback(
    ({ type, data, timestamp }: LiveMarketEvent) => {
      if (type !== 'trade' || data['network'] !== token.network) return
      const key = `${text(data['signature'])} ${String(data['effectIndex'])}`
      setSeen((before) => {
        const others = before.filter((each) => each.key !== key)
        // The chain left the block that showed it.
        if (data['retracted'] === true) return others
        const trade = {
          key,
          side: text(data['side']),
          tokenAmount: text(data['tokenAmount']),
          price: text(data['price']),
          trader: text(data['trader']),
          at: typeof data['blockTime'] === 'number' ? data['blockTime'] : timestamp,
        }
        return [trade, ...others].slice(0, SHOWN_MAX)
      })
    },
    [token.network],
  )
  useTokenEvents(token.mint, take)
  const columns: readonly Column<Seen>[] = [
    {
      header: 'Side',
      narrow: 1,
      cell: ({ side }) => <span className={side === 'buy' ? 'text-good' : 'text-bad'}>{side}</span>,
    },
    {
      header: 'Amount',
      narrow: 2,
      align: 'right',
      cell: ({ tokenAmount }) => <Amount text={priceText(tokenAmount)} unit={nameOf(token)} />,
    },
    {
      header: 'Price',
      narrow: 4,
      align: 'right',
      cell: ({ price }) => (
        <Amount text={priceText(price)} unit={assets.symbol(token.network, 'native')} />
      ),
    },
    { header: 'When', narrow: 3, cell: ({ at }) => <Time at={at} /> },
    { header: 'Trader', cell: ({ trader }) => <Short text={trader} what="trader" /> },
  ]
  return (
    <Card title="Live trades">
      {seen.length === 0 ? (
        <p className="text-soft">
          The next trade of {nameOf(token)} appears here as soon as a block shows it.
        </p>
      ) : (
        <Table caption="Live trades" columns={columns} rows={seen} rowKey={({ key }) => key} />
      )}
    </Card>
  )
}
