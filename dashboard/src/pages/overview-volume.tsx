import type { Answer } from '../api/operation.ts'
import { columnFractionDigits } from '../format/amount-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { NetworkName } from './network-name.tsx'

type Volume = Answer<'GET /overview'>['totals']['volume'][number]

/** What moved, exactly, per asset. */
export function OverviewVolume({ volume }: { volume: readonly Volume[] }) {
  const sums = (field: 'received' | 'sent') => {
    const fractionDigits = columnFractionDigits(volume.map((row) => row[field]))
    return (row: Volume) => (
      <Amount text={row[field]} unit={row.symbol ?? ''} fractionDigits={fractionDigits} />
    )
  }
  const columns: readonly Column<Volume>[] = [
    {
      header: 'Asset',
      cell: ({ symbol, asset }) => <span className="font-medium">{symbol ?? asset}</span>,
    },
    {
      header: 'Network',
      cell: ({ network }) => <NetworkName id={network} />,
    },
    { header: 'Payments', align: 'right', cell: ({ payments }) => payments.toLocaleString('en') },
    { header: 'Received', align: 'right', cell: sums('received') },
    { header: 'Sent', align: 'right', cell: sums('sent') },
  ]
  return (
    <section aria-labelledby="volume-by-asset" className="space-y-3">
      <h2 id="volume-by-asset" className="font-semibold">
        Volume by asset
      </h2>
      <Table
        caption="Confirmed volume by asset"
        columns={columns}
        rows={volume}
        rowKey={({ network, asset }) => `${network} ${asset}`}
      />
    </section>
  )
}
