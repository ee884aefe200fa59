import type { Static } from 'typebox'
import { canonicalAddress } from '@florin/wire/address.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { TradeHistoryQuery } from '@florin/wire/trade.ts'
import type { AccountId } from '../kernel/id.ts'
import { readCursor, writeCursor } from '../kernel/position.ts'
import type { Carrier } from '../sender/carrier.ts'
import type { Store } from '../store/postgres.ts'
import { readStandings } from './read-standings.ts'
import { tradesOfWallet } from './trade-store.ts'
import { recordFields } from './view.ts'

const PAGE_TRADES = 50

/** A page of what a wallet has traded in the caller's account, newest first. Somebody else's trades are not there at all. */
export async function readTradeHistory(
  deps: { readonly store: Store; readonly carrier: Carrier },
  accountId: AccountId,
  addressText: string,
  { limit = PAGE_TRADES, cursor, mint: mintText }: Static<typeof TradeHistoryQuery>,
) {
  const walletAddress = canonicalAddress(addressText)
  if (walletAddress === undefined) {
    throw invalid({ publicKey: 'must be a valid address, with a right checksum' })
  }
  const mint = mintText === undefined ? null : canonicalAddress(mintText)
  if (mint === undefined) throw invalid({ mint: 'must be a valid address' })
  const after = cursor === undefined ? null : readCursor('trd', cursor)
  if (after === undefined) throw invalid({ cursor: 'must be the nextCursor of a page' })
  const found = await deps.store.inTransaction(accountId, (tx) =>
    tradesOfWallet(tx, { accountId, walletAddress, mint, after, count: limit + 1 }),
  )
  const page = found.slice(0, limit)
  const hasMore = found.length > limit
  const last = page.at(-1)
  const standings = await readStandings(
    deps,
    accountId,
    page.map(({ trade }) => trade),
  )
  return {
    publicKey: walletAddress,
    trades: standings.map(({ trade, state }) => recordFields(trade, state)),
    limit,
    hasMore,
    nextCursor: hasMore && last !== undefined ? writeCursor(last.position) : null,
  }
}

function invalid(details: Readonly<Record<string, string>>): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details })
}
