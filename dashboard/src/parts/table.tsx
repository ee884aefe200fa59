import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'right'
  /** The header is for screen readers only: of buttons, for instance. */
  readonly quiet?: boolean
}

/**
 * Rows of facts. On a narrow screen each row is a card, with each header before its value: every line of the value ends at the card's
 * edge, and it is the value that wraps, not its header.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
}: {
  /** Says what the rows are; for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
}) {
  // The roles are written out: a row that is drawn as a card would lose its own.
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table role="table" className="w-full border-collapse max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup" className="max-sm:sr-only">
          <tr role="row" className="border-b border-line">
            {columns.map(({ header, align, quiet }) => (
              <th
                key={header}
                role="columnheader"
                scope="col"
                className={`px-4 py-2.5 font-medium whitespace-nowrap text-soft ${align === 'right' ? 'text-right' : 'text-left'}`}
              >
                {quiet ? <span className="sr-only">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              role="row"
              className="border-line not-last:border-b max-sm:block max-sm:space-y-1.5 max-sm:px-4 max-sm:py-3 sm:hover:bg-raised/60"
            >
              {columns.map(({ header, cell, align, quiet }) => (
                <td
                  key={header}
                  role="cell"
                  className={`align-middle max-sm:grid max-sm:grid-cols-[auto_minmax(min-content,1fr)] max-sm:items-baseline max-sm:gap-4 sm:px-4 sm:py-2.5 ${align === 'right' ? 'sm:text-right' : ''}`}
                >
                  {quiet ? null : (
                    <span aria-hidden="true" className="text-soft sm:hidden">
                      {header}
                    </span>
                  )}
                  <div
                    className={`sm:contents ${quiet ? 'max-sm:-mx-3' : 'max-sm:text-right max-sm:wrap-anywhere'}`}
                  >
                    {cell(row)}
                  </div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
