import type { HistoryType } from '@florin/wire/history.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { Position } from '../kernel/position.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import { paymentOf, PAYMENT_COLUMNS } from './store.ts'
import type { PaymentRow } from './store.ts'

/** What may narrow a history. Times in Unix milliseconds, from included, to not. */
export interface HistoryFilters {
  readonly status?: PaymentStatus | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly resource?: string | undefined
  readonly network?: NetworkId | undefined
}

export interface HistoryRequest {
  readonly accountId: AccountId
  readonly address: string
  readonly type: HistoryType
  readonly filters: HistoryFilters
  /** The page begins behind this payment; null: at the newest. */
  readonly after: Position<'pay'> | null
  readonly offset: number
  readonly count: number
}

export interface HistoryRows {
  readonly payments: readonly Payment[]
  /** Where the last of them stands; null when there is none. */
  readonly last: Position<'pay'> | null
  /** Whether the history goes on behind them. */
  readonly hasMore: boolean
  /** Of everything the address has, whatever the filters. */
  readonly total: number
}

/** Whose side of a payment a record is. */
const OWN_SIDE = { sent: 'sender', received: 'recipient' } as const

/**
 * A page of an address's payments with the whole count, in one statement and so in one snapshot. Payments sent and received are two
 * index scans that merge as far as the page needs; what the page skips is read from the index alone.
 */
export async function historyPage(tx: Tx, request: HistoryRequest): Promise<HistoryRows> {
  const { name, text, values } = statement(request)
  const rows = await tx.query<{ total: string } & (PagedRow | { id: null })>(name, text, values)
  const found = rows.filter((row) => row.id !== null)
  const shown = found.slice(0, request.count)
  const last = shown.at(-1)
  return {
    payments: shown.map(paymentOf),
    last: last === undefined ? null : { atMicroseconds: BigInt(last.microseconds), id: last.id },
    hasMore: found.length > request.count,
    total: Number(rows[0]?.total ?? '0'),
  }
}

type PagedRow = PaymentRow & { readonly microseconds: string }

/** One statement per combination of type, cursor and filters, so that each is planned for the index that serves it. */
function statement({ accountId, address, type, filters, after, offset, count }: HistoryRequest): {
  name: string
  text: string
  values: readonly unknown[]
} {
  // One more than the page tells whether there is more.
  const values: unknown[] = [accountId, address, count + 1, offset, offset + count + 1]
  const shape: string[] = [type]
  const conditions: string[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const add = (part: string, condition: string) => {
    shape.push(part)
    conditions.push(` and ${condition}`)
  }
  const { status, from, to, resource, network } = filters
  if (after !== null) {
    const at = moment(bind(after.atMicroseconds.toString()), 'microsecond')
    add('after', `(created_at, id) < (${at}, ${bind(after.id)})`)
  }
  // The second half names the index of what is not settled, whatever the first one's value.
  if (status === 'settled') add('settled', `status = ${bind(status)}`)
  else if (status !== undefined) add('status', `status = ${bind(status)} and status <> 'settled'`)
  if (from !== undefined) add('from', `created_at >= ${moment(bind(from), 'millisecond')}`)
  if (to !== undefined) add('to', `created_at < ${moment(bind(to), 'millisecond')}`)
  if (resource !== undefined) {
    const given = `${bind(resource)}::text`
    add('resource', `resource_start = left(${given}, 256) and resource = ${given}`)
  }
  if (network !== undefined) add('network', `network = ${bind(network)}`)

  const sides = type === 'all' ? (['sent', 'received'] as const) : [type]
  // Each side is asked for its own order and end: PostgreSQL then merges two index scans, and otherwise sorts everything.
  const scans = sides.map(
    (side) => `(select id, created_at as at from payments
      where account_id = $1 and ${OWN_SIDE[side]} = $2 and type = '${side}'${conditions.join('')}
      order by created_at desc, id desc limit $5)`,
  )
  return {
    name: `history_${shape.join('_')}`,
    text: `with page as (
        select id, at from (${scans.join(' union all ')}) sides order by at desc, id desc limit $3 offset $4
      ), listed as (
        select ${PAYMENT_COLUMNS}, (extract(epoch from created_at) * 1000000)::bigint as microseconds
        from page join payments using (id)
      )
      select counted.total, listed.* from (
        select coalesce(sum(count), 0) as total from payment_counts
        where account_id = $1 and address = $2 and type in (${sides.map((side) => `'${side}'`).join(', ')})
      ) counted left join listed on true order by listed.created_at desc, listed.id desc`,
    values,
  }
}

/** A number of units since 1970 as PostgreSQL's own time, exact to the microsecond for the next two centuries. */
function moment(placeholder: string, unit: 'microsecond' | 'millisecond'): string {
  return `(timestamptz 'epoch' + ${placeholder}::bigint * interval '1 ${unit}')`
}
