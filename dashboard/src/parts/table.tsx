import { useState } from 'react'
import type { ReactElement, ReactNode } from 'react'
import { useKeptFocus } from './use-kept-focus.ts'
import { useOverflow } from './use-overflow.ts'

export interface Column<Row> {
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'right'
  /** Left out where a table has less room than a desktop gives: what the row says elsewhere, or its page or details do. */
  readonly spare?: boolean
  /** The header is for screen readers only: of buttons, for instance. */
  readonly quiet?: boolean
  /**
   * Where it stands on the small card of a narrow screen: 1 and 2 in the first line, at the left and at the right, 3 and 4 in the last;
   * `line` for all of a line between them, `whole` for a RowLink. Where one column names its place, those that name none are left out there, and headers too: values must say
   * by themselves what they are.
   */
  readonly narrow?: keyof typeof PLACES
}

const PLACES = {
  1: 'max-sm:order-1',
  2: 'max-sm:order-2 max-sm:text-right',
  line: 'max-sm:order-3 max-sm:col-span-2',
  3: 'max-sm:order-4',
  4: 'max-sm:order-5 max-sm:text-right',
  whole: 'max-sm:absolute max-sm:inset-0',
} as const

const SPARE = 'sm:@max-4xl:hidden'
const ROW = 'border-line not-last:border-b max-sm:px-4 max-sm:py-3 sm:hover:bg-raised/60'
const CARD = 'max-sm:block max-sm:space-y-1.5'
const SMALL_CARD =
  'max-sm:relative max-sm:grid max-sm:grid-cols-[minmax(min-content,1fr)_auto] max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1'

/**
 * Rows of facts. On a narrow screen each row is a card, with each header before its value: every line of the value ends at the card's
 * edge, and it is the value that wraps, not its header. Long lists place what matters on small cards instead. A row that is the same
 * object as before, of the same columns, is not drawn again: of a thousand rows only those that changed.
 */
export function Table<Row extends object>({
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
  const { ref, isOver } = useOverflow()
  const body = useKeptFocus(rows.map(rowKey))
  const isSmall = columns.some(({ narrow }) => narrow !== undefined)
  const isLink = columns.some(({ narrow }) => narrow === 'whole')
  const Cell = isSmall ? SmallCell : CardCell
  const [kept] = useState(() => new WeakMap<readonly Column<Row>[], WeakMap<Row, ReactElement>>())
  const drawn = kept.get(columns) ?? new WeakMap<Row, ReactElement>()
  kept.set(columns, drawn)
  const draw = (row: Row) => {
    const element = (
      <tr
        key={rowKey(row)}
        role="row"
        className={`${ROW} ${isSmall ? SMALL_CARD : CARD} ${isLink ? 'max-sm:pr-9' : ''}`}
      >
        {columns.map((column) => (
          <Cell key={column.header} column={column} row={row} />
        ))}
      </tr>
    )
    drawn.set(row, element)
    return element
  }
  // Positioned, or what only screen readers see would stand out of it and make the page as wide as the table.
  // The roles are written out: a row that is drawn as a card would lose its own.
  return (
    <div
      ref={ref}
      // Without a stop of its own nobody could scroll it by keyboard.
      {...(isOver ? { tabIndex: 0, role: 'group', 'aria-label': caption } : {})}
      className="@container relative overflow-x-auto rounded-lg border border-line bg-surface focus-visible:-outline-offset-2"
    >
      <table role="table" className="w-full border-collapse max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup" className="max-sm:sr-only">
          <tr role="row" className="border-b border-line">
            {columns.map(({ header, align, quiet, spare = false }) => (
              <th
                key={header}
                role="columnheader"
                scope="col"
                className={`px-2 py-2.5 font-medium first:pl-4 whitespace-nowrap text-soft @4xl:px-4 ${spare ? SPARE : ''} ${align === 'right' ? 'text-right' : 'text-left'}`}
              >
                {quiet ? <span className="sr-only">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup" className="max-sm:block">
          {rows.map((row) => drawn.get(row) ?? draw(row))}
        </tbody>
      </table>
    </div>
  )
}

interface CellProps<Row> {
  readonly column: Column<Row>
  readonly row: Row
}

function CardCell<Row>({
  column: { header, cell, align, quiet, spare = false },
  row,
}: CellProps<Row>) {
  return (
    <td
      role="cell"
      className={`align-middle max-sm:grid max-sm:grid-cols-[auto_minmax(min-content,1fr)] max-sm:items-baseline max-sm:gap-4 sm:px-2 sm:first:pl-4 sm:py-2.5 sm:@4xl:px-4 ${spare ? SPARE : ''} ${align === 'right' ? 'sm:text-right' : ''}`}
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
  )
}

function SmallCell<Row>({
  column: { cell, align, quiet, narrow, spare = false },
  row,
}: CellProps<Row>) {
  return (
    <td
      role="cell"
      className={`align-middle sm:px-2 sm:first:pl-4 sm:py-2.5 sm:@4xl:px-4 ${spare ? SPARE : ''} ${align === 'right' ? 'sm:text-right' : ''} ${quiet ? 'max-sm:-mr-3' : 'max-sm:wrap-anywhere'} ${narrow === undefined ? 'max-sm:hidden' : PLACES[narrow]}`}
    >
      {cell(row)}
    </td>
  )
}
