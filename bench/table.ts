import type { Figure } from './figures.ts'

type Column = readonly [title: string, cell: (figure: Figure) => string]

const time = (milliseconds: number | undefined) =>
  milliseconds === undefined ? '' : `${milliseconds.toFixed(1)} ms`

const COLUMNS: readonly Column[] = [
  ['what', ({ what }) => what],
  ['rate', ({ perSecond, value }) => value ?? rate(perSecond)],
  ['alone at most', ({ mostAlone }) => rate(mostAlone)],
  ['p50', ({ milliseconds }) => time(milliseconds?.p50)],
  ['p95', ({ milliseconds }) => time(milliseconds?.p95)],
  ['p99', ({ milliseconds }) => time(milliseconds?.p99)],
  ['ratio', ({ ratio }) => (ratio === undefined ? '' : ratio.toFixed(2))],
  ['goal', ({ goal }) => goal?.text ?? ''],
  ['', ({ goal }) => (goal === undefined ? '' : goal.isMet ? 'met' : 'MISSED')],
  [
    'each takes (CPU)',
    ({ perOperation: each }) =>
      each === undefined
        ? ''
        : `service ${each.serviceMilliseconds.toFixed(2)} + postgres ${each.postgresMilliseconds.toFixed(2)} ms`,
  ],
  [
    'commits, node calls',
    ({ perOperation: each }) =>
      each === undefined ? '' : `${each.transactions.toFixed(1)}, ${each.nodeCalls.toFixed(1)}`,
  ],
  ['what limits (cores)', ({ limit }) => limit ?? ''],
]

function rate(perSecond: number | undefined): string {
  return perSecond === undefined ? '' : `${perSecond.toFixed(0)}/s`
}

/** The figures as a table that a terminal and Markdown both show well. Columns that are empty throughout are left out. */
export function tableOf(figures: readonly Figure[]): string {
  const columns = COLUMNS.filter(([, cell]) => figures.some((figure) => cell(figure) !== ''))
  const rows = [
    columns.map(([title]) => title),
    ...figures.map((figure) => columns.map(([, cell]) => cell(figure))),
  ]
  const widths = columns.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line), ''].join(
    '\n',
  )
}
