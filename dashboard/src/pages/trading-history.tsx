import { useAnswer } from '../api/use-answer.ts'
import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import { priceText } from '../format/price-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Card } from '../parts/card.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { PaymentStatusBadge } from '../parts/payment-status.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import type { Wallet } from './trading.tsx'
import { nameOf } from './trading-tokens.tsx'

type Trade = Answer<'GET /trade/history/{publicKey}'>['trades'][number]

const SHOWN_MAX = 20
/** Nothing comes in any more. */
const OVER: ReadonlySet<string> = new Set(['failed', 'expired'])

/** What this wallet has traded here. */
export function TradingHistory({ wallet }: { wallet: Wallet }) {
  const assets = useAssets()
  const read = useAnswer('GET /trade/history/{publicKey}', {
    params: { publicKey: wallet.address },
    query: { limit: SHOWN_MAX },
  })
  const { data, error } = read
  const native = (trade: Trade) => assets.symbol(trade.network, 'native')
  const columns: readonly Column<Trade>[] = [
    {
      header: 'Trade',
      narrow: 1,
      cell: (trade) => (
        <PageLink to={`/payments/${trade.paymentId}`}>
          {trade.side === 'buy' ? 'Bought' : 'Sold'} {nameOf(trade)}
        </PageLink>
      ),
    },
    {
      header: 'Status',
      narrow: 2,
      cell: ({ status }) => <PaymentStatusBadge status={status} />,
    },
    {
      header: 'Paid',
      align: 'right',
      narrow: 3,
      cell: (trade) => (
        <Amount text={trade.amount} unit={trade.side === 'buy' ? native(trade) : nameOf(trade)} />
      ),
    },
    {
      header: 'Received',
      align: 'right',
      cell: (trade) => {
        const [got, unit] =
          trade.side === 'buy'
            ? [trade.tokensReceived, nameOf(trade)]
            : [trade.received, native(trade)]
        return got === null || got === undefined ? (
          <span className="text-soft">{OVER.has(trade.status) ? 'nothing' : 'not yet'}</span>
        ) : (
          <Amount text={priceText(got)} unit={unit} />
        )
      },
    },
    { header: 'Venue', cell: ({ venue }) => venue },
    { header: 'When', narrow: 4, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
  return (
    <Card title="Trades of this wallet">
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : data.trades.length === 0 ? (
        <p className="text-soft">Nothing was traded from this wallet yet.</p>
      ) : (
        <Table
          caption="Trades of this wallet"
          columns={columns}
          rows={data.trades}
          rowKey={({ tradeId }) => tradeId}
        />
      )}
    </Card>
  )
}
