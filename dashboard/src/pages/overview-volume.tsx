import { COLUMN_FRACTION_DIGITS } from '../api/use-assets.ts'
import type { Answer } from '../api/operation.ts'
import { Amount } from '../parts/amount.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'

type Volume = Answer<'GET /overview'>['totals']['volume'][number]

const COLUMNS: readonly Column<Volume>[] = [
  {
    header: 'Asset',
    cell: ({ symbol, asset }) => <span className="font-medium">{symbol ?? asset}</span>,
  },
  {
    header: 'Network',
    cell: ({ network }) => <span className="font-mono text-[0.8125rem] break-all">{network}</span>,
  },
  { header: 'Payments', align: 'right', cell: ({ payments }) => payments.toLocaleString('en') },
  { header: 'Received', align: 'right', cell: (row) => <Sum row={row} text={row.received} /> },
  { header: 'Sent', align: 'right', cell: (row) => <Sum row={row} text={row.sent} /> },
]

function Sum({ row, text }: { row: Volume; text: string }) {
  return <Amount text={text} unit={row.symbol ?? ''} fractionDigits={COLUMN_FRACTION_DIGITS} />
}

/** What moved, exactly, per asset. */
export function OverviewVolume({ volume }: { volume: readonly Volume[] }) {
  return (
    <section aria-labelledby="volume-by-asset" className="space-y-3">
      <h2 id="volume-by-asset" className="font-semibold">
        Volume by asset
      </h2>
      <Table
        caption="Confirmed volume by asset"
        columns={COLUMNS}
        rows={volume}
        rowKey={({ network, asset }) => `${network} ${asset}`}
      />
    </section>
  )
}
