import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import { columnFractionDigits } from '../format/amount-text.ts'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { PaymentStatusBadge } from '../parts/payment-status.tsx'
import { Short } from '../parts/short.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { NetworkName } from './network-name.tsx'

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
  const columns: readonly Column<Payment>[] = [
    {
      header: 'Payment',
      cell: ({ paymentId }) => (
        <PageLink to={`/payments/${paymentId}`}>
          <span className="font-mono text-[0.8125rem] whitespace-nowrap">
            {shortText(paymentId)}
          </span>
        </PageLink>
      ),
    },
    { header: 'Status', cell: ({ status }) => <PaymentStatusBadge status={status} /> },
    {
      header: 'Amount',
      align: 'right',
      cell: ({ amount, network, asset }) => (
        <Amount
          text={amount}
          unit={assets.symbol(network, asset)}
          fractionDigits={fractionDigits}
        />
      ),
    },
    { header: 'Type', cell: ({ type }) => (type === 'sent' ? 'Sent' : 'Received') },
    {
      header: 'With',
      cell: ({ type, sender, recipient }) =>
        type === 'sent' ? (
          <Short text={recipient} what="recipient" />
        ) : (
          <Short text={sender} what="sender" />
        ),
    },
    {
      header: 'Network',
      cell: ({ network }) => <NetworkName id={network} />,
    },
    { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={payments}
      rowKey={({ paymentId }) => paymentId}
    />
  )
}
