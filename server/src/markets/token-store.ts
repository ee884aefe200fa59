import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** A token that some market trades, as its chain told it. */
export interface KnownToken {
  readonly mint: Address
  readonly decimals: number
  readonly symbol: string | null
  readonly name: string | null
}

/** Of these tokens those that markets have shown. */
export async function knownTokens(
  tx: Tx,
  network: NetworkId,
  mints: readonly string[],
): Promise<readonly KnownToken[]> {
  if (mints.length === 0) return []
  return await tx.query<KnownToken>(
    'market_tokens_known',
    `select mint, decimals, symbol, name from market_tokens where network = $1 and mint = any($2)`,
    [network, mints],
  )
}

/** The tokens of a network's markets, those first whose pools hold the most, with native currency or with a hub, at most `count`. */
export async function marketTokens(
  tx: Tx,
  network: NetworkId,
  count: number,
  hubs: readonly string[] = [],
): Promise<readonly KnownToken[]> {
  return await tx.query<KnownToken>(
    'market_tokens_list',
    `with hubs as materialized (select h.hub, r.native, r.token from unnest($3::text[]) as h(hub)
       join lateral (select native, token from market_reserves where network = $1 and mint = h.hub
         and native > 0 and token > 0 order by native desc limit 1) r on true)
     select t.mint, t.decimals, t.symbol, t.name from market_tokens t
     left join lateral (select max(native) as native from market_reserves r
       where r.network = t.network and r.mint = t.mint) depth on true
     left join lateral (select max(least(s.quote * hubs.native / hubs.token, hubs.native)) as native
       from market_hub_states s join hubs on hubs.hub = s.hub
       where s.network = t.network and s.mint = t.mint and s.held) through on true
     where t.network = $1 order by greatest(depth.native, through.native) desc nulls last, t.seen_at limit $2`,
    [network, count, hubs],
  )
}

export async function storeTokens(
  tx: Tx,
  network: NetworkId,
  tokens: readonly KnownToken[],
  seenAtMilliseconds: number,
): Promise<void> {
  if (tokens.length === 0) return
  await tx.query(
    'market_tokens_store',
    `insert into market_tokens (network, mint, decimals, symbol, name, seen_at)
     select $1, t.mint, t.decimals, t.symbol, t.name, to_timestamp($6 / 1000.0)
     from unnest($2::text[], $3::int[], $4::text[], $5::text[]) as t(mint, decimals, symbol, name)
     on conflict (network, mint) do nothing`,
    [
      network,
      tokens.map(({ mint }) => mint),
      tokens.map(({ decimals }) => decimals),
      tokens.map(({ symbol }) => symbol),
      tokens.map(({ name }) => name),
      seenAtMilliseconds,
    ],
  )
}

/** Of these addresses those that a market of some network trades. */
export async function tradedMints(tx: Tx, mints: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ mint: string }>(
    'market_tokens_among',
    `select distinct mint from market_tokens where mint = any($1)`,
    [mints],
  )
  return new Set(rows.map(({ mint }) => mint))
}
