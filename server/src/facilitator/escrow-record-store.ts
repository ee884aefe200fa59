import type { NetworkId } from '@florin/wire/network.ts'
import type { EscrowCallStatus, EscrowOperation } from '@florin/wire/x402/escrow-call.ts'
import type { Address } from '../chains/chain.ts'
import type { AccountId, EscrowCallId } from '../kernel/id.ts'
import type { Position } from '../kernel/position.ts'
import type { Tx } from '../store/postgres.ts'

/** A call to an escrow as its account reads it. Base units. */
export interface EscrowRecord {
  readonly id: EscrowCallId
  readonly accountId: AccountId
  readonly network: NetworkId
  readonly operation: EscrowOperation
  readonly asset: string
  readonly payer: Address | null
  readonly receivers: readonly Address[]
  readonly channelIds: readonly string[]
  readonly amount: bigint | null
  readonly claimed: bigint | null
  readonly status: EscrowCallStatus
  /** The block that its status and amount were read of; null while none shows it. */
  readonly seenBlockHash: string | null
  /** The place of its transaction. */
  readonly placeId: string
  readonly createdAtMilliseconds: number
  readonly confirmedAtMilliseconds: number | null
  readonly settledAtMilliseconds: number | null
  readonly endedAtMilliseconds: number | null
}

interface RecordRow {
  readonly id: EscrowCallId
  readonly account_id: AccountId
  readonly network: NetworkId
  readonly operation: EscrowOperation
  readonly asset: string
  readonly payer: Address | null
  readonly receivers: readonly Address[]
  readonly channel_ids: readonly string[]
  readonly amount: string | null
  readonly claimed: string | null
  readonly status: EscrowCallStatus
  readonly seen_block_hash: string | null
  readonly place: string
  readonly created_at: Date
  readonly confirmed_at: Date | null
  readonly settled_at: Date | null
  readonly ended_at: Date | null
}

const COLUMNS = `id, account_id, network, operation, asset, payer, receivers, channel_ids, amount, claimed, status,
  seen_block_hash, chain_transaction_id as place, created_at, confirmed_at, settled_at, ended_at`

function recordOf(row: RecordRow): EscrowRecord {
  const { id, network, operation, asset, payer, receivers, status } = row
  return {
    ...{ id, accountId: row.account_id, network, operation, asset, payer, receivers, status },
    channelIds: row.channel_ids,
    amount: row.amount === null ? null : BigInt(row.amount),
    claimed: row.claimed === null ? null : BigInt(row.claimed),
    ...{ seenBlockHash: row.seen_block_hash, placeId: row.place },
    createdAtMilliseconds: row.created_at.getTime(),
    confirmedAtMilliseconds: row.confirmed_at?.getTime() ?? null,
    settledAtMilliseconds: row.settled_at?.getTime() ?? null,
    endedAtMilliseconds: row.ended_at?.getTime() ?? null,
  }
}

/** What calls of an account are looked for by. */
export interface RecordFilters {
  readonly operation?: EscrowOperation | undefined
  readonly status?: EscrowCallStatus | undefined
  readonly channelId?: string | undefined
  /** Those in one of these places. */
  readonly placeIds?: readonly string[] | undefined
}

export interface ListedRecord {
  readonly record: EscrowRecord
  readonly position: Position<'esc'>
}

/** A page of an account's calls, newest first, behind a position. One statement for each combination of filters, so that each is planned for the index that serves it. */
export async function recordsOfAccount(
  tx: Pick<Tx, 'query'>,
  accountId: AccountId,
  filters: RecordFilters,
  { after, count }: { readonly after: Position<'esc'> | null; readonly count: number },
): Promise<readonly ListedRecord[]> {
  const { operation, status, channelId, placeIds } = filters
  const values: unknown[] = [accountId, count]
  const shape: string[] = []
  const conditions: string[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const add = (part: string, condition: string) => {
    shape.push(part)
    conditions.push(` and ${condition}`)
  }
  if (operation !== undefined) add('operation', `operation = ${bind(operation)}`)
  if (status === 'settled') add('settled', `status = ${bind(status)}`)
  // The second half names the index of what is not settled.
  else if (status !== undefined) add('status', `status = ${bind(status)} and status <> 'settled'`)
  if (channelId !== undefined) {
    const calls = `select call_id from escrow_call_channels where account_id = $1`
    add('channel', `id in (${calls} and channel_id = ${bind(channelId)})`)
  }
  if (placeIds !== undefined) {
    add('place', `chain_transaction_id = any(${bind(placeIds)}::bigint[])`)
  }
  if (after !== null) {
    const at = `(timestamptz 'epoch' + ${bind(after.atMicroseconds.toString())}::bigint * interval '1 microsecond')`
    add('after', `(created_at, id) < (${at}, ${bind(after.id)})`)
  }
  const rows = await tx.query<RecordRow & { readonly microseconds: string }>(
    ['escrow_records', ...shape].join('_'),
    `select ${COLUMNS}, (extract(epoch from created_at) * 1000000)::bigint as microseconds
     from escrow_calls where account_id = $1 and id is not null${conditions.join('')}
     order by created_at desc, id desc limit $2`,
    values,
  )
  return rows.map((row) => ({
    record: recordOf(row),
    position: { atMicroseconds: BigInt(row.microseconds), id: row.id },
  }))
}

/** One call of an account; undefined where it has none of that id. */
export async function recordOfAccount(
  tx: Pick<Tx, 'query'>,
  accountId: AccountId,
  id: EscrowCallId,
): Promise<EscrowRecord | undefined> {
  const [row] = await tx.query<RecordRow>(
    'escrow_record',
    `select ${COLUMNS} from escrow_calls where account_id = $1 and id = $2`,
    [accountId, id],
  )
  return row && recordOf(row)
}

/** Calls of a network that are not at their end, by their ids, behind one of them. */
export async function recordsUnderWay(
  tx: Pick<Tx, 'query'>,
  network: NetworkId,
  { after, count }: { readonly after: EscrowCallId | null; readonly count: number },
): Promise<readonly EscrowRecord[]> {
  const rows = await tx.query<RecordRow>(
    'escrow_records_under_way',
    `select ${COLUMNS} from escrow_calls
     where network = $1 and status in ('pending', 'confirmed') and id > $2 order by id limit $3`,
    [network, after ?? '', count],
  )
  return rows.map(recordOf)
}

/** How a call stands, as it is to be noted. */
export type Standing = Pick<EscrowRecord, 'status' | 'amount' | 'claimed' | 'seenBlockHash'>

/**
 * Notes how a call stands now, and gives back its record. Undefined where it stands otherwise than it did when that was found out: somebody else has noted it meanwhile. Its row is held
 * until the transaction ends.
 */
export async function noteStanding(
  tx: Pick<Tx, 'query'>,
  was: Pick<EscrowRecord, 'id' | 'status' | 'seenBlockHash'>,
  { status, amount, claimed, seenBlockHash }: Standing,
  nowMilliseconds: number,
): Promise<EscrowRecord | undefined> {
  const [row] = await tx.query<RecordRow>(
    'escrow_record_note',
    `update escrow_calls set status = $4, amount = $5, claimed = $6, seen_block_hash = $7,
       confirmed_at = case when $4 in ('confirmed', 'settled') then coalesce(confirmed_at, to_timestamp($8 / 1000.0)) end,
       settled_at = case when $4 = 'settled' then to_timestamp($8 / 1000.0) end,
       ended_at = case when $4 = 'failed' then to_timestamp($8 / 1000.0) end
     where id = $1 and status = $2 and seen_block_hash is not distinct from $3 returning ${COLUMNS}`,
    [
      ...[was.id, was.status, was.seenBlockHash, status, amount?.toString() ?? null],
      ...[claimed?.toString() ?? null, seenBlockHash, nowMilliseconds],
    ],
  )
  return row && recordOf(row)
}
