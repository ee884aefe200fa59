import type { Static } from 'typebox'
import { Refusal } from '@florin/wire/errors.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { canonicalTransactionId } from '@florin/wire/transaction-id.ts'
import type { EscrowCallsQuery } from '@florin/wire/x402/escrow-call.ts'
import { parseId } from '../../kernel/id.ts'
import type { AccountId } from '../../kernel/id.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { readCursor, writeCursor } from '../../kernel/position.ts'
import { lonePlaces, placesOfHash } from '../../sender/lone-place-store.ts'
import type { Store } from '../../store/postgres.ts'
import { recordOfAccount, recordsOfAccount } from '../escrow-record-store.ts'
import { escrowCall } from './call-view.ts'

export interface ListCallsDeps {
  readonly store: Store
  readonly networks: ReadonlyMap<NetworkId, NetworkConfig>
}

const PAGE_CALLS = 50
const CHANNEL_ID = /^0x[0-9a-f]{64}$/i

/** A page of the account's calls to the escrow, newest first. Somebody else's are not there at all. Throws Refusal where the query cannot be. */
export async function listCalls(
  { store, networks }: ListCallsDeps,
  accountId: AccountId,
  query: Static<typeof EscrowCallsQuery>,
) {
  const { operation, status, channelId, transaction, limit = PAGE_CALLS, cursor } = query
  const after = cursor === undefined ? null : readCursor('esc', cursor)
  if (after === undefined) throw invalid({ cursor: 'must be the nextCursor of a page' })
  if (channelId !== undefined && !CHANNEL_ID.test(channelId)) {
    throw invalid({ channelId: 'must be 0x and 64 hex digits' })
  }
  const hash = transaction === undefined ? null : canonicalTransactionId(transaction)
  if (hash === undefined) throw invalid({ transaction: 'must be the hash of a transaction' })
  return store.inTransaction(accountId, async (tx) => {
    const filters = {
      ...{ operation, status, channelId: channelId?.toLowerCase() },
      placeIds: hash === null ? undefined : await placesOfHash(tx, hash),
    }
    const found = await recordsOfAccount(tx, accountId, filters, { after, count: limit + 1 })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const hasMore = found.length > limit
    const places = await lonePlaces(
      tx,
      page.map(({ record }) => record.placeId),
    )
    return {
      calls: page.map(({ record }) => escrowCall(record, places.get(record.placeId), networks)),
      hasMore,
      nextCursor: hasMore && last !== undefined ? writeCursor(last.position) : null,
    }
  })
}

/** One call of the account. Throws Refusal NOT_FOUND, also for another account's. */
export async function readCall(
  { store, networks }: ListCallsDeps,
  accountId: AccountId,
  callId: string,
) {
  const id = parseId('esc', callId)
  if (id === undefined) throw new Refusal('NOT_FOUND')
  return store.inTransaction(accountId, async (tx) => {
    const record = await recordOfAccount(tx, accountId, id)
    if (record === undefined) throw new Refusal('NOT_FOUND')
    const places = await lonePlaces(tx, [record.placeId])
    const shown = escrowCall(record, places.get(record.placeId), networks)
    return { ...shown, receivers: [...record.receivers], channelIds: [...record.channelIds] }
  })
}

function invalid(details: Readonly<Record<string, string>>): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details })
}
