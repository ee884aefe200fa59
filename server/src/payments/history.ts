import type { Static } from 'typebox'
import { canonicalAddress } from '@florin/wire/address.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { HistoryQuery } from '@florin/wire/history.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import type { AccountId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'
import { readCursor, writeCursor } from '../kernel/position.ts'
import type { Position } from '../kernel/position.ts'
import { historyPage } from './history-store.ts'
import type { HistoryFilters } from './history-store.ts'
import { listPayments } from './list-payments.ts'

const PAGE_PAYMENTS = 50

/**
 * A page of what an address has sent and received in the caller's account, newest first. Somebody else's payments are not
 * there at all; an address without any has an empty history.
 */
export async function readHistory(
  { store, networks }: { store: Store; networks: ReadonlyMap<NetworkId, NetworkConfig> },
  accountId: AccountId,
  addressText: string,
  query: Static<typeof HistoryQuery>,
) {
  const { type = 'all', limit = PAGE_PAYMENTS, offset = 0 } = query
  const address = canonicalAddress(addressText)
  if (address === undefined) {
    throw invalid({ walletAddress: 'must be a valid address, with a right checksum' })
  }
  const after = positionOf(query)
  const filters = filtersOf(query)
  return store.inTransaction(accountId, async (tx) => {
    const request = { accountId, address, type, filters, after, offset, count: limit }
    const { payments, last, hasMore, total } = await historyPage(tx, request)
    return {
      walletAddress: address,
      type,
      payments: await listPayments(tx, networks, payments),
      total: Object.values(filters).every((filter) => filter === undefined) ? total : null,
      limit,
      offset,
      hasMore,
      nextCursor: hasMore && last !== null ? writeCursor(last) : null,
    }
  })
}

function positionOf({ cursor, offset }: Static<typeof HistoryQuery>): Position<'pay'> | null {
  if (cursor === undefined) return null
  if (offset !== undefined) {
    const rule = 'give cursor or offset, not both'
    throw invalid({ cursor: rule, offset: rule })
  }
  const position = readCursor('pay', cursor)
  if (position === undefined) throw invalid({ cursor: 'must be the nextCursor of a page' })
  return position
}

function filtersOf({
  status,
  from,
  to,
  resource,
  network,
}: Static<typeof HistoryQuery>): HistoryFilters {
  if (from !== undefined && to !== undefined && from > to) {
    throw invalid({ from: 'must not be after to' })
  }
  const id = network === undefined ? undefined : readNetworkName(network)
  if (network !== undefined && id === undefined) {
    throw invalid({ network: 'must be a CAIP-2 id or an x402 v1 name' })
  }
  return { status, from, to, resource, network: id }
}

function invalid(details: Readonly<Record<string, string>>): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details })
}
