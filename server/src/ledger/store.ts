import assert from 'node:assert/strict'
import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'
import { brokenConstraint } from '../store/postgres.ts'
import type { Tx } from '../store/postgres.ts'
import { LINE_KINDS, assertBalanced, overdraws } from './entry.ts'
import type { Hold, LedgerPlace, LedgerTransfer } from './entry.ts'

/** What one wallet has of one asset, in base units. */
export interface Balance {
  /** Below zero while a network took more than what was held and this had less: nothing can be sent then. */
  readonly available: bigint
  readonly held: bigint
}

interface AccountRow {
  readonly wallet_id: string
  readonly network: string
  readonly asset: string
  readonly kind: string
  readonly balance: string
}

/**
 * Balances of one wallet's assets, locked until the transaction ends; books that do not exist yet are opened at zero.
 * Call it once per transaction, after the lane lock, and name every asset that `record` will touch: rows are locked
 * in the order of their ids within one call, so two calls in one transaction could deadlock with another's two.
 */
export async function lockBalances(
  tx: Tx,
  {
    accountId,
    walletId,
    network,
    assets,
  }: {
    accountId: AccountId
    walletId: WalletId
    network: NetworkId
    assets: readonly string[]
  },
): Promise<Map<string, Balance>> {
  const rows = await lockAccounts(
    tx,
    assets.map((asset) => ({ accountId, walletId, network, asset })),
  )
  return toBalances(rows)
}

/** The same balances without a lock: for showing, never for deciding. Assets without books are left out. */
export async function readBalances(
  tx: Tx,
  { accountId, walletId }: { accountId: AccountId; walletId: WalletId },
): Promise<readonly (Balance & { readonly network: string; readonly asset: string })[]> {
  const rows = await tx.query<{
    network: string
    asset: string
    available: string
    held: string
  }>(
    'ledger_read_balances',
    `select network, asset,
       coalesce(sum(balance) filter (where kind = 'available'), 0) as available,
       coalesce(sum(balance) filter (where kind = 'held'), 0) as held
     from ledger_accounts where account_id = $1 and wallet_id = $2
     group by network, asset order by network, asset`,
    [accountId, walletId],
  )
  return rows.map(({ network, asset, available, held }) => ({
    network,
    asset,
    available: BigInt(available),
    held: BigInt(held),
  }))
}

/**
 * Writes transfers and moves the balances in two statements, however many there are and whosever they are.
 * Fails an assertion when a hold is placed or closed twice, or when a wallet would go below zero by anything but the fee of a network: whoever asks
 * has looked at locked balances and open holds before, so either is a bug and the transaction must not commit.
 */
export async function record(
  tx: Tx,
  transfers: readonly LedgerTransfer[],
  nowMilliseconds: number,
): Promise<void> {
  if (transfers.length === 0) return
  transfers.forEach(assertBalanced)
  await lockAccounts(tx, transfers)
  const heads = transfers.map((transfer, number) => ({
    number,
    account_id: transfer.accountId,
    wallet_id: transfer.walletId,
    network: transfer.network,
    asset: transfer.asset,
    kind: transfer.kind,
    payment_id: transfer.paymentId,
    overdraws: overdraws(transfer).toString(),
  }))
  const lines = transfers.flatMap((transfer, number) =>
    transfer.lines.map(({ kind, amount }) => ({ number, kind, amount: amount.toString() })),
  )
  try {
    const [written] = await tx.query<{ entries: string }>('ledger_record', RECORD, [
      JSON.stringify(heads),
      JSON.stringify(lines),
      new Date(nowMilliseconds),
    ])
    assert.equal(Number(written?.entries), lines.length, 'every line found its books')
  } catch (error) {
    const rule = IMPOSSIBLE[brokenConstraint(error) ?? '']
    if (rule === undefined) throw error
    throw new assert.AssertionError({ message: rule })
  }
}

/** The holds of these payments that are neither posted nor voided. */
export async function openHolds(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<readonly Hold[]> {
  const rows = await tx.query<{
    payment_id: PaymentId
    account_id: AccountId
    wallet_id: WalletId
    network: NetworkId
    asset: string
    amount: string
  }>(
    'ledger_open_holds',
    `select t.payment_id, t.account_id, a.wallet_id, t.network, t.asset, e.amount
       from ledger_transfers t
       join ledger_entries e on e.transfer_id = t.id
       join ledger_accounts a on a.id = e.ledger_account_id and a.kind = 'held'
      where t.kind = 'hold' and t.payment_id = any ($1) and not exists (
        select from ledger_transfers closing
         where closing.payment_id = t.payment_id and closing.asset = t.asset
           and closing.kind in ('post', 'void'))
      order by t.id`,
    [[...paymentIds]],
  )
  return rows.map((row) => ({
    paymentId: row.payment_id,
    accountId: row.account_id,
    walletId: row.wallet_id,
    network: row.network,
    asset: row.asset,
    amount: BigInt(row.amount),
  }))
}

const IMPOSSIBLE: Readonly<Record<string, string>> = {
  ledger_holds_once: 'a payment holds each asset once',
  ledger_closed_once: 'a hold is closed once',
  ledger_accounts_check: 'available and held are never below zero but by fees',
}

// `overdrawn` is how far a balance may be below zero: by fees above holds, less what has come in since.
// The id is drawn before the rows are written, because a funding has no key of its own to find its row by. Lines
// follow from stored transfers, so that of several broken rules the one about holds is the one that is told.
const RECORD = `
  with head as materialized (
    select nextval(pg_get_serial_sequence('ledger_transfers', 'id')) as id, given.*
    from json_to_recordset($1) as given (number integer, account_id text, wallet_id text,
      network text, asset text, kind text, payment_id text, overdraws numeric)
  ), stored as (
    insert into ledger_transfers (id, account_id, kind, payment_id, network, asset, created_at)
    overriding system value
    select id, account_id, kind, payment_id, network, asset, $3::timestamptz from head
    returning id
  ), entered as (
    insert into ledger_entries (transfer_id, ledger_account_id, account_id, network, asset, amount)
    select head.id, books.id, head.account_id, head.network, head.asset, line.amount
    from json_to_recordset($2) as line (number integer, kind text, amount numeric)
    join head using (number)
    join stored on stored.id = head.id
    join ledger_accounts books on books.account_id = head.account_id
      and books.wallet_id = head.wallet_id and books.network = head.network
      and books.asset = head.asset and books.kind = line.kind
    returning transfer_id, ledger_account_id, amount
  ), moved as (
    update ledger_accounts books set balance = books.balance + change.amount,
      overdrawn = case when books.kind = 'available'
        then greatest(least(greatest(books.overdrawn - change.came_in, 0) + change.overdraws, -(books.balance + change.amount)), 0)
        else 0 end
    from (select ledger_account_id, sum(amount) as amount, sum(greatest(amount, 0)) as came_in, sum(overdraws) as overdraws
      from entered join head on head.id = transfer_id group by 1) change
    where books.id = change.ledger_account_id and change.amount <> 0
  )
  select count(*) as entries from entered`

const PLACES = `
  json_to_recordset($1) as place (account_id text, wallet_id text, network text, asset text)`

const SAME_PLACE = `
  books.account_id = place.account_id and books.wallet_id = place.wallet_id
    and books.network = place.network and books.asset = place.asset`

// All or nothing: with some of the books missing, none is locked, because the missing ones are to be opened first.
const LOCK = `
  select books.wallet_id, books.network, books.asset, books.kind, books.balance
  from ledger_accounts books join ${PLACES} on ${SAME_PLACE}
  where books.kind = any ($2) and $3 = (
    select count(*) from ledger_accounts books join ${PLACES} on ${SAME_PLACE}
    where books.kind = any ($2))
  order by books.id for update of books`

const OPEN = `
  insert into ledger_accounts (account_id, wallet_id, network, asset, kind)
  select place.account_id, place.wallet_id, place.network, place.asset, kind
  from ${PLACES} cross join unnest($2::text[]) as kind
  order by wallet_id, network, asset, kind
  on conflict (wallet_id, network, asset, kind) do nothing`

/**
 * Locks all books of these places, and opens those that are missing. One statement unless something is missing.
 * No deadlock: existing books are locked in the order of their ids by whoever sees all of them. Who opens some waits
 * for other openers only, in the order of names, and holds no book that exists while it waits.
 */
async function lockAccounts(tx: Tx, places: readonly LedgerPlace[]): Promise<AccountRow[]> {
  const wanted = new Map(
    places.map(({ accountId, walletId, network, asset }) => [
      JSON.stringify([accountId, walletId, network, asset]),
      { account_id: accountId, wallet_id: walletId, network, asset },
    ]),
  )
  const given = JSON.stringify([...wanted.values()])
  const kinds = [...LINE_KINDS]
  const expected = wanted.size * kinds.length
  const lock = () => tx.query<AccountRow>('ledger_lock', LOCK, [given, kinds, expected])
  let rows = await lock()
  if (rows.length === 0 && expected > 0) {
    await tx.query('ledger_open', OPEN, [given, kinds])
    rows = await lock()
  }
  assert.equal(rows.length, expected, 'a place has one book of each kind, and they are its own')
  return rows
}

function toBalances(rows: readonly AccountRow[]): Map<string, Balance> {
  const balances = new Map<string, { available: bigint; held: bigint }>()
  for (const { asset, kind, balance } of rows) {
    const entry = balances.get(asset) ?? { available: 0n, held: 0n }
    if (kind === 'available' || kind === 'held') entry[kind] = BigInt(balance)
    balances.set(asset, entry)
  }
  return balances
}
