import { useAnswer } from '../api/use-answer.ts'
import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import { priceText } from '../format/price-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Card } from '../parts/card.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import type { Wallet } from './trading.tsx'
import { nameOf } from './trading-tokens.tsx'

type Holding = Answer<'GET /portfolio/{publicKey}'>['tokens'][number]

const REFETCH_SECONDS = 10

/** What the wallet holds, and what that is worth. */
export function TradingHoldings({ wallet, network }: { wallet: Wallet; network: string }) {
  const assets = useAssets()
  const read = useAnswer(
    'GET /portfolio/{publicKey}',
    { params: { publicKey: wallet.address }, query: { network } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const { data, error } = read
  const unit = assets.symbol(network, 'native')
  const columns: readonly Column<Holding>[] = [
    { header: 'Asset', cell: (holding) => nameOf(holding) },
    {
      header: 'Balance',
      align: 'right',
      cell: ({ balance }) => <Amount text={balance} unit="" />,
    },
    {
      header: 'Worth',
      align: 'right',
      cell: ({ value }) =>
        value === null ? (
          <span className="text-soft">not known</span>
        ) : (
          <Amount text={priceText(value)} unit={unit} />
        ),
    },
  ]
  return (
    <Card
      title="Holdings"
      actions={
        data === undefined ? undefined : (
          <span className="text-soft">
            worth <Amount text={priceText(data.totalValue)} unit={unit} />
            {data.totalValueUsd === null ? null : (
              <>
                {' '}
                (<Amount text={priceText(data.totalValueUsd)} unit="USD" />)
              </>
            )}
          </span>
        )
      }
    >
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : (
        <div className="space-y-3">
          <p>
            <Amount text={data.nativeBalance} unit={unit} />
          </p>
          {data.tokens.length === 0 && data.unread === undefined ? (
            <p className="text-soft">No tokens yet.</p>
          ) : null}
          {data.tokens.length === 0 ? null : (
            <Table
              caption="Holdings"
              columns={columns}
              rows={data.tokens}
              rowKey={({ mint }) => mint}
            />
          )}
          {(data.unread ?? []).map((token) => (
            <p key={token.mint} className="text-soft">
              {nameOf(token)} cannot be read now: what the wallet has of it is unknown.
            </p>
          ))}
        </div>
      )}
    </Card>
  )
}
