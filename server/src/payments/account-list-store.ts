import type { HistoryType } from '@florin/wire/history.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { Position } from '../kernel/position.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import { paymentOf, PAYMENT_COLUMNS } from './store.ts'
import type { PaymentRow } from './store.ts'

/** What payments of an account are looked for by. Times in Unix milliseconds, from included, to not. */
export interface AccountFilters {
  readonly type: HistoryType
  readonly status?: PaymentStatus | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly network?: NetworkId | undefined
  /** An address of the account's own side. */
  readonly own?: string | undefined
  /** An address on either side. */
  readonly party?: string | undefined
  readonly resource?: string | undefined
  /** These payments, and those that took effect in this transaction. */
  readonly known?: { readonly ids: readonly PaymentId[]; readonly transactionId: string | null }
  /** On every network, or on the network beside it: any of these. */
  readonly assets?: readonly { readonly network: NetworkId | null; readonly asset: string }[]
}

export interface AccountPage {
  readonly payments: readonly Payment[]
  /** The last payment of the page; null when it has none. */
  readonly last: Position<'pay'> | null
  /** Whether a payment that fits follows the last one of the page. */
  readonly hasMore: boolean
  /** How far the look went when it ended before the account's payments did; null when it saw them all. */
  readonly lookedTo: Position<'pay'> | null
}

interface Asked {
  readonly accountId: AccountId
  readonly filters: AccountFilters
  /** The page begins behind this payment; null: at the newest. */
  readonly after: Position<'pay'> | null
  readonly count: number
  /** Payments that are looked at for filters that no index serves. */
  readonly lookedAtMax: number
}

type Row = PaymentRow & { readonly microseconds: string }
type Seen = { readonly looked: string; readonly end_id: PaymentId; readonly end_at: string }

/**
 * A page of an account's payments in one statement. Time, side, status and cursor are served by indexes; every other filter looks
 * at so many payments at most, in the order of the list, so that a page costs the same however many payments there are.
 */
export async function accountPage(tx: Tx, asked: Asked): Promise<AccountPage> {
  const { name, text, values, lookedAt } = statement(asked)
  const rows = await tx.query<Seen & (Row | { id: null })>(name, text, values)
  const found = rows.filter((row) => row.id !== null)
  const shown = found.slice(0, asked.count)
  const [last, seen] = [shown.at(-1), rows[0]]
  const wasCut = seen !== undefined && Number(seen.looked) === lookedAt
  return {
    payments: shown.map(paymentOf),
    last: last === undefined ? null : { atMicroseconds: BigInt(last.microseconds), id: last.id },
    hasMore: found.length > asked.count,
    lookedTo: wasCut ? { atMicroseconds: BigInt(seen.end_at), id: seen.end_id } : null,
  }
}

/** One statement per combination of what is given, so that each is planned for the index that serves it. */
function statement({ accountId, filters, after, count, lookedAtMax }: Asked) {
  const values: unknown[] = [accountId]
  const shape: string[] = []
  const served: string[] = []
  const looked: string[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const add = (to: string[], part: string, condition: string) => {
    shape.push(part)
    to.push(condition)
  }
  const { type, status, from, to, network, own, party, resource, known, assets } = filters
  if (after !== null) {
    const at = moment(bind(after.atMicroseconds.toString()), 'microsecond')
    add(served, 'after', `(created_at, id) < (${at}, ${bind(after.id)})`)
  }
  if (from !== undefined) add(served, 'from', `created_at >= ${moment(bind(from), 'millisecond')}`)
  if (to !== undefined) add(served, 'to', `created_at < ${moment(bind(to), 'millisecond')}`)
  // The second half names the index of what is not settled, whatever the first one's value.
  if (status === 'settled') add(looked, 'settled', `status = ${bind(status)}`)
  else if (status !== undefined) {
    add(served, 'status', `status = ${bind(status)} and status <> 'settled'`)
  }
  if (type !== 'all') add(looked, type, `type = '${type}'`)
  if (network !== undefined) add(looked, 'network', `network = ${bind(network)}`)
  if (party !== undefined) {
    const given = bind(party)
    add(looked, 'party', `(sender = ${given} or recipient = ${given})`)
  }
  if (resource !== undefined) add(looked, 'resource', `resource = ${bind(resource)}`)
  if (assets !== undefined) {
    const names = bind(assets.map((each) => each.asset))
    const on = bind(assets.map((each) => each.network))
    const any = `unnest(${names}::text[], ${on}::text[]) as wanted (asset, network)`
    const fits =
      'wanted.asset = looked.asset and coalesce(wanted.network, looked.network) = looked.network'
    add(looked, 'assets', `exists (select from ${any} where ${fits})`)
  }
  const sides: string[] = []
  if (own !== undefined) {
    const given = bind(own)
    const both = [
      `type = 'sent' and sender = ${given}`,
      `type = 'received' and recipient = ${given}`,
    ]
    if (known === undefined) sides.push(...both)
    else looked.push(`(${both.join(' or ')})`)
    shape.push('own')
  }
  if (known !== undefined) {
    const ids = bind(known.ids)
    const hash = bind(known.transactionId)
    sides.push(`id = any(${ids})`, `transaction_hash = ${hash} and not id = any(${ids})`)
    shape.push('known')
  }
  if (sides.length === 0) sides.push('true')
  // One more than the page tells whether there is more.
  const lookedAt = looked.length === 0 ? count + 1 : lookedAtMax
  const most = bind(lookedAt)
  const page = bind(count + 1)
  const rest = served.map((condition) => ` and ${condition}`).join('')
  const scans = sides.map(
    (
      side,
    ) => `(select id, created_at as at, type, status, network, asset, sender, recipient, resource
        from payments where account_id = $1 and ${side}${rest}
        order by created_at desc, id desc limit ${most})`,
  )
  const fits = looked.length === 0 ? '' : `where ${looked.join(' and ')}`
  return {
    lookedAt,
    name: `account_list_${shape.join('_')}`,
    values,
    text: `with looked as materialized (
        select * from (${scans.join(' union all ')}) sides order by at desc, id desc limit ${most}
      ), page as (
        select id from looked ${fits} order by at desc, id desc limit ${page}
      ), ended as (
        select count(*) as looked, (array_agg(id order by at, id))[1] as end_id, min(at) as ended_at from looked
      ), listed as (
        select ${PAYMENT_COLUMNS}, ${microseconds('created_at')} as microseconds
        from page join payments using (id)
      )
      select ended.looked, ended.end_id, ${microseconds('ended.ended_at')} as end_at, listed.*
      from ended left join listed on true order by listed.created_at desc, listed.id desc`,
  }
}

const microseconds = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`

/** A number of units since 1970 as PostgreSQL's own time, exact to the microsecond for the next two centuries. */
function moment(placeholder: string, unit: 'microsecond' | 'millisecond'): string {
  return `(timestamptz 'epoch' + ${placeholder}::bigint * interval '1 ${unit}')`
}
