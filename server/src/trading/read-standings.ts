import type { AccountId } from '../kernel/id.ts'
import type { CarriedState, Carrier } from '../sender/carrier.ts'
import type { Store } from '../store/postgres.ts'
import type { Trade } from './trade.ts'
import { tradesOf } from './trade-store.ts'

/** A trade with where its payment stands. */
export interface Standing {
  readonly trade: Trade
  readonly state: CarriedState
}

/**
 * Trades of an account as they stand now. What came in is read after the status: it was noted before it, so a trade that is seen to have
 * taken effect says what it brought.
 */
export async function readStandings(
  { store, carrier }: { readonly store: Store; readonly carrier: Carrier },
  accountId: AccountId,
  trades: readonly Trade[],
): Promise<readonly Standing[]> {
  if (trades.length === 0) return []
  const states = await carrier.states(
    accountId,
    trades.map(({ paymentId }) => paymentId),
  )
  const read = await store.inTransaction(accountId, (tx) =>
    tradesOf(
      tx,
      trades.map(({ id }) => id),
    ),
  )
  const now = new Map(read.map((trade) => [trade.id, trade]))
  return trades.flatMap(({ id }, index) => {
    const [trade, state] = [now.get(id), states[index]]
    return trade === undefined || state === undefined ? [] : [{ trade, state }]
  })
}
