import type { Static } from 'typebox'
import { canonicalAddress } from '@florin/wire/address.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import type { PaymentsQuery } from '@florin/wire/payment-list.ts'
import { canonicalTransactionId } from '@florin/wire/transaction-id.ts'
import { parseId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { paymentsOfAttempt } from '../sender/find-store.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { accountPage } from './account-list-store.ts'
import type { AccountFilters } from './account-list-store.ts'
import { readCursor, writeCursor } from '../kernel/position.ts'
import { listPayments } from './list-payments.ts'

const PAGE_PAYMENTS = 50
const MICROSECONDS_PER_MILLISECOND = 1_000n

type Query = Static<typeof PaymentsQuery>
type Networks = ReadonlyMap<NetworkId, NetworkConfig>

/** A page of everything that the account paid and was paid, newest first. */
export async function readAccountList(
  { store, networks }: { store: Store; networks: Networks },
  accountId: AccountId,
  query: Query,
) {
  const { limit = PAGE_PAYMENTS, cursor } = query
  const after = cursor === undefined ? null : readCursor('pay', cursor)
  if (after === undefined) throw invalid({ cursor: 'must be the nextCursor of a page' })
  const filters = filtersOf(query, networks)
  const known = searchOf(query.search)
  return store.inTransaction(accountId, async (tx) => {
    const page = await accountPage(tx, {
      accountId,
      filters: { ...filters, ...(await known(tx)) },
      after,
      count: limit,
      lookedAtMax: limits.listLookedAtMax,
    })
    const next = page.hasMore ? page.last : page.lookedTo
    const wentFar = !page.hasMore && page.lookedTo !== null
    return {
      payments: await listPayments(tx, networks, page.payments),
      hasMore: next !== null,
      nextCursor: next === null ? null : writeCursor(next),
      lookedBackTo: wentFar
        ? Number((page.lookedTo?.atMicroseconds ?? 0n) / MICROSECONDS_PER_MILLISECOND)
        : null,
    }
  })
}

function filtersOf(query: Query, networks: Networks): AccountFilters {
  const { type = 'all', status, from, to, walletAddress, network, asset } = query
  if (from !== undefined && to !== undefined && from > to) {
    throw invalid({ from: 'must not be after to' })
  }
  const id = network === undefined ? undefined : readNetworkName(network)
  if (network !== undefined && id === undefined) {
    throw invalid({ network: 'must be a CAIP-2 id or an x402 v1 name' })
  }
  const own = walletAddress === undefined ? undefined : canonicalAddress(walletAddress)
  if (walletAddress !== undefined && own === undefined) {
    throw invalid({ walletAddress: 'must be a valid address, with a right checksum' })
  }
  const assets = asset === undefined ? {} : { assets: assetsOf(asset, networks) }
  return { type, status, from, to, own, network: id, ...assets }
}

/** What an asset's name may mean: a symbol on each network that has it, or itself wherever it is. */
function assetsOf(name: string, networks: Networks): NonNullable<AccountFilters['assets']> {
  const asset = name === 'native' ? name : canonicalAddress(name)
  if (asset !== undefined) return [{ network: null, asset }]
  return [...networks.values()].flatMap(({ network, assets }) =>
    assets
      .filter(({ symbol }) => symbol === name)
      .map((profile) => ({ network, asset: profile.asset })),
  )
}

/** What a text that is searched for names, from the most exact on. */
function searchOf(text: string | undefined): (tx: Tx) => Promise<Partial<AccountFilters>> {
  const given = text?.trim()
  if (given === undefined) return async () => ({})
  const paymentId = parseId('pay', given)
  if (paymentId !== undefined) {
    return async () => ({ known: { ids: [paymentId], transactionId: null } })
  }
  const transactionId = canonicalTransactionId(given)
  if (transactionId !== undefined) {
    return async (tx) => ({
      known: { ids: await paymentsOfAttempt(tx, transactionId), transactionId },
    })
  }
  const party = canonicalAddress(given)
  if (party !== undefined) return async () => ({ party })
  if (/^https?:\/\//i.test(given)) return async () => ({ resource: given })
  throw invalid({
    search: 'must be the id of a payment, a transaction, an address or the URL of a resource',
  })
}

function invalid(details: Readonly<Record<string, string>>): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details })
}
