import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { Store } from '../store/postgres.ts'

export const laneAt = (index: number) => `0xlane${index}` as Address

/** So many lanes, each with one open place at nonce 0 that carries nothing and has one attempt. */
export async function openPlaces(store: Store, network: NetworkId, count: number): Promise<void> {
  await store.inTransaction('service', async (tx) => {
    await tx.query(
      'test_lanes',
      `insert into lanes (network, address, next_nonce)
       select $1, '0xlane' || n, 1 from generate_series(1, $2::int) n`,
      [network, count],
    )
    await tx.query(
      'test_places',
      `with places as (
         insert into chain_transactions (network, lane_address, nonce, fee_ceiling, created_at)
         select $1, '0xlane' || n, 0, 1, now() from generate_series(1, $2::int) n returning id)
       insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
       select id, 1, $1, '0xhash' || id, '', '{}', now() from places`,
      [network, count],
    )
  })
}
