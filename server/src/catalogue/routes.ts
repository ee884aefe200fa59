import { canonicalAddress } from '@florin/wire/address.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'
import { catalogueResource, discoveryItem } from './answer.ts'
import { deleteListings, listingsOfAccount, listingsPage, searchListings } from './store.ts'
import type { Filter } from './store.ts'

export interface CatalogueRoutesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly networks: readonly NetworkConfig[]
}

const PAGE_DEFAULT = 20

interface Wanted {
  readonly type?: string
  readonly payTo?: string
  readonly scheme?: string
  readonly network?: string
  readonly extensions?: string
  readonly limit?: number
}

/** The catalogue as buyers read it, in the shapes of x402, and as its sellers do. */
export function catalogueRoutes({ store, clock, networks }: CatalogueRoutesDeps): readonly Route[] {
  return [
    route(endpoints.x402Resources, async ({ query }) => {
      const { offset = 0 } = query
      const filter = filterOf(query, offset)
      // Listed to be found by everybody, whosever it is.
      const { listed, found, total } = await store.inTransaction('service', (tx) =>
        listingsPage(tx, filter),
      )
      // A page that was cut says so, for whoever goes on from its limit.
      const limit = listed.length < found ? listed.length : filter.limit
      const pagination = { limit, offset, total }
      return { body: { x402Version: 2, items: listed.map(discoveryItem), pagination } }
    }),

    route(endpoints.x402Search, async ({ query }) => {
      const { limit, offset, ...wanted } = filterOf(query, Number(query.cursor ?? 0))
      // One more than asked for says whether there is more.
      const { listed, found } = await store.inTransaction('service', (tx) =>
        searchListings(tx, query.query, { ...wanted, offset, limit: limit + 1 }),
      )
      const resources = listed.slice(0, limit).map(discoveryItem)
      const partialResults = resources.length < found
      const cursor = partialResults ? `${offset + resources.length}` : null
      return {
        body: { x402Version: 2, resources, partialResults, pagination: { limit, cursor } },
      }
    }),

    route(endpoints.getCatalogue, async ({ caller: { accountId } }) => {
      const listed = await store.inTransaction(accountId, (tx) => listingsOfAccount(tx, accountId))
      const resources = listed.map((each) => catalogueResource(each, networks))
      return { body: { resources, maximum: limits.catalogueResourcesPerAccountMax } }
    }),

    route(endpoints.deleteListing, async ({ caller: { accountId }, query: { resource } }) => {
      const count = await store.inTransaction(accountId, (tx) =>
        deleteListings(tx, accountId, resource),
      )
      if (count === 0) throw new Refusal('NOT_FOUND')
      return { body: { resource, deletedAt: clock.nowMilliseconds() } }
    }),
  ]
}

/** What is not known here is looked for as it was said, and not found. */
function filterOf(query: Wanted, offset: number): Filter {
  const { type = null, payTo, scheme, network, extensions, limit = PAGE_DEFAULT } = query
  return {
    // Every listing has this extension, and no other one is kept.
    type: extensions === undefined || extensions === 'bazaar' ? type : 'none',
    accept: {
      ...(payTo === undefined ? {} : { payTo: canonicalAddress(payTo) ?? payTo }),
      ...(scheme === undefined ? {} : { scheme }),
      ...(network === undefined ? {} : { network: readNetworkName(network) ?? network }),
    },
    limit,
    offset,
  }
}
