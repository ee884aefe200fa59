import type { Json, JsonObject } from '../../host/json.ts'
import { isJsonObject } from '../../host/json.ts'
import type { TransactionRecord } from '../chain/transaction-record.ts'
import type { RpcValue } from '../rpc-json.ts'
import { viewFor } from './method.ts'
import type { Methods, RpcContext } from './method.ts'
import { addressAt, commitmentOf, configAt, oneOf, signatureOf, wholeOf } from './params.ts'
import { invalidParams } from './rpc-failure.ts'
import { statusAt } from './transaction-methods.ts'
import { transactionForm, transactionView } from './transaction-view.ts'

const SIGNATURES_MAX = 1_000
const FULL_MAX = 100
const TOKEN = /^(\d{1,15}):(\d{1,9})$/

/** A transaction that landed, and its place in its block. */
interface Placed {
  readonly record: TransactionRecord
  readonly position: number
}
type Order = Pick<Placed, 'position'> & { readonly slot: number }
type Test = (placed: Placed) => boolean

/** What providers offer beside a stock node, and kit names: an address's history in one call, filtered and in pages. */
export const ADDRESS_HISTORY: Methods = {
  getTransactionsForAddress(context, params) {
    const address = addressAt(params, 0)
    const config = configAt(params, 1)
    if (commitmentOf(config) === 'processed') {
      throw invalidParams('Method does not support commitment below `confirmed`')
    }
    const view = viewFor(context, config)
    const details = oneOf(config['transactionDetails'], ['signatures', 'full'], 'signatures')
    const max = details === 'full' ? FULL_MAX : SIGNATURES_MAX
    const limit = wholeOf(config['limit'], 'limit') ?? max
    if (limit < 1 || limit > max) throw invalidParams(`Invalid limit; max ${max}`)
    const sort = oneOf(config['sortOrder'], ['desc', 'asc'], 'desc')
    const places = placesOf(context)
    const filters = objectOf(config['filters'], 'filters')
    const tokens = oneOf(filters['tokenAccounts'], ['none', 'balanceChanged', 'all'], 'none')
    const { records } = context.chain.bank
    const tests = [
      ({ record }: Placed) =>
        record.keys.includes(address) || (tokens !== 'none' && ownsToken(record, address, tokens)),
      ...testsOf(filters, places),
    ]
    const cursor = cursorOf(config['paginationToken'])
    const direction = sort === 'asc' ? 1 : -1
    if (context.distortion.hidesTransactions()) return { data: [], paginationToken: null }

    const found: Placed[] = []
    let hasMore = false
    const signatures = tokens === 'none' ? records.ofAddress(address) : [...places.keys()]
    for (const signature of sort === 'asc' ? signatures : signatures.toReversed()) {
      const order = places.get(signature)
      if (order === undefined || order.slot > view.slot) continue
      if (cursor !== undefined && compare(order, cursor) * direction <= 0) continue
      const record = records.get(signature)
      if (record === undefined) continue
      const placed = { record, position: order.position }
      if (!tests.every((test) => test(placed))) continue
      hasMore = found.length === limit
      if (hasMore) break
      found.push(placed)
    }
    const last = found.at(-1)
    const token = last === undefined ? '' : `${last.record.slot}:${last.position}`
    const form = transactionForm(config)
    const data = found.map(({ record, position }): RpcValue => {
      const { slot, time: blockTime } = record
      const place = { slot, blockTime, transactionIndex: position }
      if (details === 'full') return { ...place, ...transactionView(record, form) }
      const { signature, error: err, memo } = record
      return { ...place, signature, err, memo, confirmationStatus: statusAt(context, slot) }
    })
    return { data, paginationToken: hasMore ? token : null }
  },
}

/** Where each transaction stands, oldest first. */
function placesOf({ chain }: RpcContext): ReadonlyMap<string, Order> {
  const { records } = chain.bank
  const places = new Map<string, Order>()
  let before: Order | undefined
  for (const signature of records.signatures()) {
    const slot = records.slotOf(signature) ?? 0
    before = { slot, position: before?.slot === slot ? before.position + 1 : 0 }
    places.set(signature, before)
  }
  return places
}

function compare(left: Order, right: Order): number {
  return left.slot === right.slot ? left.position - right.position : left.slot - right.slot
}

function cursorOf(value: Json | undefined): Order | undefined {
  if (value === undefined || value === null) return undefined
  const [, slot, position] = (typeof value === 'string' ? TOKEN.exec(value) : null) ?? []
  if (slot === undefined || position === undefined) throw invalidParams('Invalid paginationToken')
  return { slot: Number(slot), position: Number(position) }
}

function testsOf(filters: JsonObject, places: ReadonlyMap<string, Order>): readonly Test[] {
  const status = oneOf(filters['status'], ['any', 'succeeded', 'failed'], 'any')
  const whole = (value: Json, name: string): number => wholeOf(value, name) ?? 0
  const orderOf = (value: Json): Order => {
    const order = places.get(signatureOf(value))
    if (order === undefined) throw invalidParams('Invalid param: signature not found')
    return order
  }
  return [
    ({ record: { error } }) => status === 'any' || (error === null) === (status === 'succeeded'),
    ...boundsOf(filters, 'slot', (value) => {
      const bound = whole(value, 'slot')
      return ({ record }) => record.slot - bound
    }),
    ...boundsOf(filters, 'blockTime', (value) => {
      const bound = whole(value, 'blockTime')
      return ({ record }) => record.time - bound
    }),
    ...boundsOf(filters, 'signature', (value) => {
      const bound = orderOf(value)
      return ({ record: { slot }, position }) => compare({ slot, position }, bound)
    }),
  ]
}

/** Whether a token account of the address is named, or has another balance after than before. */
function ownsToken(
  { preTokenBalances, postTokenBalances }: TransactionRecord,
  address: string,
  tokens: 'balanceChanged' | 'all',
): boolean {
  const own = (balances: typeof preTokenBalances): ReadonlyMap<number, string> =>
    new Map(
      balances
        .filter(({ owner }) => owner === address)
        .map(({ accountIndex, uiTokenAmount }) => [accountIndex, uiTokenAmount.amount]),
    )
  const [before, after] = [own(preTokenBalances), own(postTokenBalances)]
  const accounts = [...new Set([...before.keys(), ...after.keys()])]
  if (tokens === 'all') return accounts.length > 0
  return accounts.some((index) => (before.get(index) ?? '0') !== (after.get(index) ?? '0'))
}

const COMPARISONS: Readonly<Record<string, (difference: number) => boolean>> = {
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
  eq: (difference) => difference === 0,
}

function boundsOf(
  filters: JsonObject,
  name: string,
  distance: (bound: Json) => (placed: Placed) => number,
): readonly Test[] {
  return Object.entries(objectOf(filters[name], name)).map(([comparison, bound]): Test => {
    const holds = Object.hasOwn(COMPARISONS, comparison) ? COMPARISONS[comparison] : undefined
    if (holds === undefined || bound === undefined) {
      throw invalidParams(`Invalid params: unknown comparison of ${name}`)
    }
    const measure = distance(bound)
    return (placed) => holds(measure(placed))
  })
}

function objectOf(value: Json | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {}
  if (!isJsonObject(value)) throw invalidParams(`Invalid params: ${name} is an object`)
  return value
}
