import type { NetworkId } from '@florin/wire/network.ts'
import type { BatchOperation } from '../chains/batch.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { followedHeights } from '../sender/follower-store.ts'
import { lonePlaces } from '../sender/lone-place-store.ts'
import type { Store } from '../store/postgres.ts'
import { shareReads } from '../store/shared-reads.ts'
import type { CallName, StoredCall } from './escrow-call-store.ts'

/** A call as it was stored, what became of it, and how far its network was read then, or later. */
export interface LookedCall {
  readonly stored: StoredCall
  readonly followed: bigint | null
}

/** Looks at a call for whoever waits for it: those of one moment share their statements, which a transaction for each would be many of. */
export function openCallLooks(
  store: Pick<Store, 'query'>,
): (name: CallName) => Promise<LookedCall | undefined> {
  return shareReads({
    read: (names: readonly CallName[]) => lookAtCalls(store, names),
    underWayMax: limits.claimReadsUnderWayMax,
    sharedMax: limits.claimReadsSharedMax,
  })
}

/** In the order of the names; undefined where nobody has asked for that call. */
export async function lookAtCalls(
  tx: Pick<Store, 'query'>,
  names: readonly CallName[],
): Promise<readonly (LookedCall | undefined)[]> {
  const rows = await tx.query<{
    network: NetworkId
    call_key: string
    account_id: AccountId
    operation: BatchOperation
    content_digest: Buffer
    place: string
  }>(
    'escrow_calls_look',
    // Each by its key, also where this was planned while the table was empty.
    `select network, call_key, account_id, operation, content_digest, chain_transaction_id as place
     from unnest($1::text[], $2::text[]) as asked (of_network, key) cross join lateral (
       select * from escrow_calls where network = asked.of_network and call_key = asked.key offset 0) as calls
     where chain_transaction_id is not null`,
    [names.map(({ network }) => network), names.map(({ key }) => key)],
  )
  if (rows.length === 0) return names.map(() => undefined)
  const places = await lonePlaces(
    tx,
    rows.map(({ place }) => place),
  )
  // Behind the places: whatever block one of them is in was read by then.
  const followed = await followedHeights(tx, [...new Set(rows.map(({ network }) => network))])
  const found = new Map<string, LookedCall>()
  for (const row of rows) {
    const { network, account_id: accountId, operation, content_digest: digest } = row
    const place = places.get(row.place)
    if (place === undefined) continue
    const stored = { accountId, operation, contentDigest: new Uint8Array(digest), ...place }
    found.set(nameText(network, row.call_key), {
      stored,
      followed: followed.get(network) ?? null,
    })
  }
  return names.map(({ network, key }) => found.get(nameText(network, key)))
}

function nameText(network: NetworkId, key: string): string {
  return `${network} ${key}`
}
