import type { Block, Chain, UnreadArrival } from '../chains/chain.ts'
import { ownersOf } from '../custody/store.ts'
import type { AddressOwner } from '../custody/store.ts'
import type { Store } from '../store/postgres.ts'
import type { Deposit } from './deposit-book.ts'

export interface ReadDeposits {
  readonly deposits: readonly Deposit[]
  /** What may have brought something and no node tells: to be set aside. */
  readonly unread: readonly UnreadArrival[]
}

/**
 * What came to custodial wallets in the given blocks, in their order; undefined when the chain has moved meanwhile. The database is asked
 * after the blocks were read and by their addresses only: a wallet that another instance has just made is found, as nobody can pay it
 * before its address is committed, and the cost does not grow with the wallets.
 */
export async function readDeposits(
  { chain, store }: { chain: Chain; store: Store },
  blocks: readonly Block[],
): Promise<ReadDeposits | undefined> {
  const owners = new Map<string, AddressOwner>()
  const unread: UnreadArrival[] = []
  const arrivals = await chain.arrivals(
    blocks,
    async (addresses) => {
      if (addresses.length === 0) return new Set()
      const found = await ownersOf(store, chain.config.family, addresses)
      for (const [address, owner] of found) owners.set(address, owner)
      return new Set(found.keys())
    },
    (arrival) => void unread.push(arrival),
  )
  if (arrivals === undefined) return undefined
  const deposits = arrivals.flatMap((arrival) => {
    const owner = owners.get(arrival.to)
    return owner === undefined ? [] : [{ ...arrival, ...owner }]
  })
  return { deposits, unread }
}
