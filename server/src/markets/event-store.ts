import type { MarketEventType } from '@florin/wire/event-types.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'

/** What is to be said to everybody who listens to a token's market. */
export interface NewMarketEvent {
  readonly eventId: string
  readonly type: MarketEventType
  readonly mint: string
  readonly dataText: string
  readonly atMilliseconds: number
}

/** The same with its place among those of its network. */
export interface StoredMarketEvent extends NewMarketEvent {
  readonly place: bigint
}

export async function storeMarketEvents(
  tx: Tx,
  network: NetworkId,
  events: readonly NewMarketEvent[],
): Promise<void> {
  await tx.query(
    'market_events_store',
    `insert into market_events (network, event_id, type, mint, data, at)
     select $1, e.id, e.type, e.mint, e.data, to_timestamp(e.at / 1000.0)
     from unnest($2::text[], $3::text[], $4::text[], $5::json[], $6::bigint[]) with ordinality
       as e(id, type, mint, data, at, place) order by e.place`,
    [
      network,
      events.map(({ eventId }) => eventId),
      events.map(({ type }) => type),
      events.map(({ mint }) => mint),
      events.map(({ dataText }) => dataText),
      events.map(({ atMilliseconds }) => Math.floor(atMilliseconds)),
    ],
  )
}

/** What a network's markets said after a place, oldest first. */
export async function marketEventsAfter(
  tx: Tx,
  network: NetworkId,
  place: bigint,
  count: number,
): Promise<readonly StoredMarketEvent[]> {
  const rows = await tx.query<{
    id: string
    event_id: string
    type: MarketEventType
    mint: string
    data_text: string
    at: Date
  }>(
    'market_events_after',
    `select id, event_id, type, mint, data::text as data_text, at from market_events
     where network = $1 and id > $2 order by id limit $3`,
    [network, place.toString(), count],
  )
  return rows.map((row) => ({
    place: BigInt(row.id),
    eventId: row.event_id,
    type: row.type,
    mint: row.mint,
    dataText: row.data_text,
    atMilliseconds: row.at.getTime(),
  }))
}

/** The place of the newest; 0 when there is none. */
export async function newestPlace(tx: Tx, network: NetworkId): Promise<bigint> {
  const rows = await tx.query<{ id: string | null }>(
    'market_events_newest',
    `select max(id) as id from market_events where network = $1`,
    [network],
  )
  return BigInt(rows[0]?.id ?? 0)
}

export async function forgetMarketEvents(
  tx: Tx,
  network: NetworkId,
  beforeMilliseconds: number,
): Promise<void> {
  await tx.query(
    'market_events_forget',
    `delete from market_events where network = $1 and at < to_timestamp($2 / 1000.0)
       and id < (select max(id) from market_events where network = $1)`,
    [network, beforeMilliseconds],
  )
}
