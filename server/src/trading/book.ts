import type { NetworkId } from '@florin/wire/network.ts'
import type { Chain } from '../chains/chain.ts'
import { OWN_VENUES } from '../chains/venue.ts'
import type { Log } from '../kernel/log.ts'
import type { TradeBook } from '../sender/trade-book.ts'
import { quoteOf } from './trade.ts'
import {
  bookFinal,
  bookUntold,
  bookUpTo,
  forgetReceived,
  holdUnbooked,
  noteMined,
  paymentsOfOthers,
  tradesOf,
} from './trade-store.ts'

/**
 * More than any token has that is worth a trade, and so little that the books can add up a great many. A token may say any number in its
 * logs: one that the books could not hold would stop the follower of its network for everybody.
 */
const RECEIVED_MAX = 2n ** 128n - 1n

/** Notes what trades brought in and paid to be included sooner, as their transactions show it. */
export function openTradeBook({
  chains,
  log,
}: {
  readonly chains: ReadonlyMap<NetworkId, Chain>
  readonly log: Log
}): TradeBook {
  return {
    unreadable: async (tx, network, paymentIds) => {
      const venues = (chains.get(network)?.venues ?? []).map(({ name }) => name)
      return paymentsOfOthers(tx, paymentIds, [...OWN_VENUES, ...venues])
    },

    mined: async (tx, mined) => {
      const seen = new Map(mined.map((each) => [each.tradeId, each]))
      const trades = await tradesOf(tx, [...seen.keys()])
      const noted = trades.map((trade) => {
        const shown = seen.get(trade.id)
        const { transfers = [], senderChanges, height = 0n } = shown ?? {}
        const known = { tradeId: trade.id, priorityFeeUsed: shown?.priorityFeePaid ?? null }
        const venue = chains.get(trade.network)?.venues?.find(({ name }) => name === trade.venue)
        const quote = quoteOf(trade)
        const swap = { wallet: trade.walletAddress, quote, transfers, senderChanges }
        const units = venue?.received(swap) ?? null
        const taken = venue?.taken(swap) ?? null
        if (units !== null && units > 0n && units <= RECEIVED_MAX) {
          // What was signed bounds it, whatever a token writes into its logs.
          const isTaken = taken !== null && taken > 0n && taken <= trade.amountIn
          return { ...known, received: { units, height }, taken: isTaken ? taken : null }
        }
        // It took effect, and nobody here can read how: that stays unknown.
        log.warn(
          { network: trade.network, paymentId: trade.paymentId },
          'what a trade brought in could not be read from its transaction',
        )
        return { ...known, received: null, taken: null }
      })
      if (noted.length > 0) await noteMined(tx, noted)
    },

    vanished: (tx, paymentIds) => forgetReceived(tx, paymentIds),
    holdUnbooked,
    unbooked: async (tx, wallet) => [
      ...(await bookUntold(tx, wallet)),
      ...(await bookUpTo(tx, wallet)),
    ],
    final: bookFinal,
  }
}
