import { useMemo } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import type { Assets } from '../api/use-assets.ts'
import { columnFractionDigits } from '../format/amount-text.ts'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { OtherParty } from '../parts/other-party.tsx'
import { PaymentStatusBadge } from '../parts/payment-status.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { NetworkName } from './network-name.tsx'
import { typeText } from './payment-type.ts'

type Payment = Answer<'GET /payments'>['payments'][number]

/** Payments in rows, each with the way to itself. */
export function PaymentTable({
  payments,
  caption = 'Payments',
}: {
  payments: readonly Payment[]
  caption?: string
}) {
  const assets = useAssets()
  const fractionDigits = columnFractionDigits(payments.map(({ amount }) => amount))
  const columns = useMemo(() => columnsOf(assets, fractionDigits), [assets, fractionDigits])
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={payments}
      rowKey={({ paymentId }) => paymentId}
    />
  )
}

function columnsOf(assets: Assets, fractionDigits: number): readonly Column<Payment>[] {
  return [
    {
      header: 'Payment',
      narrow: 'whole',
      cell: ({ paymentId }) => (
        <RowLink to={`/payments/${paymentId}`}>
          <span className="font-mono text-[0.8125rem] whitespace-nowrap">
            {shortText(paymentId)}
          </span>
        </RowLink>
      ),
    },
    {
      header: 'Status',
      narrow: 2,
      cell: ({ status }) => <PaymentStatusBadge status={status} />,
    },
    {
      header: 'Amount',
      align: 'right',
      narrow: 1,
      cell: ({ amount, network, asset }) => (
        <Amount
          text={amount}
          unit={assets.symbol(network, asset)}
          fractionDigits={fractionDigits}
        />
      ),
    },
    { header: 'Type', cell: typeText },
    {
      header: 'With',
      narrow: 3,
      cell: ({ type, sender, recipient, tradeId }) => (
        <OtherParty
          type={type}
          sender={sender}
          recipient={recipient}
          isTrade={tradeId !== undefined}
        />
      ),
    },
    {
      header: 'Network',
      spare: true,
      cell: ({ network }) => <NetworkName id={network} />,
    },
    { header: 'Created', narrow: 4, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}
