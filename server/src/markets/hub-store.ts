import type { NetworkId } from '@florin/wire/network.ts'
import type { MarketHubState } from '../chains/market.ts'
import type { Tx } from '../store/postgres.ts'

/** Stores what pools of tokens and hubs showed: of one pool and block the last in order. */
export async function storeHubStates(
  tx: Tx,
  network: NetworkId,
  states: readonly MarketHubState[],
): Promise<void> {
  const last = [
    ...new Map(states.map((one) => [`${one.mint} ${one.market} ${one.height}`, one])).values(),
  ]
  if (last.length === 0) return
  await tx.query(
    'market_hub_states_store',
    `insert into market_hub_states (network, market, mint, hub, height, quote, token, held, at)
     select $1, s.market, s.mint, s.hub, s.height, s.quote, s.token, s.held, to_timestamp(s.at / 1000.0)
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::numeric[], $7::numeric[], $8::boolean[],
       $9::bigint[]) as s(market, mint, hub, height, quote, token, held, at)
     on conflict (network, mint, market, height) do update set quote = excluded.quote, token = excluded.token`,
    [
      network,
      last.map(({ market }) => market),
      last.map(({ mint }) => mint),
      last.map(({ hub }) => hub),
      last.map(({ height }) => height.toString()),
      last.map(({ hubAmount }) => hubAmount.toString()),
      last.map(({ tokenAmount }) => tokenAmount.toString()),
      last.map(({ isHeld }) => isHeld),
      last.map(({ timeMilliseconds }) => timeMilliseconds),
    ],
  )
}
