import type { AssetChange, TokenTransfer } from '../chains/chain.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { PaymentId, TradeId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** A trade whose payment has just taken effect, with what its transaction shows. */
export interface MinedTrade {
  readonly network: NetworkId
  readonly tradeId: TradeId
  readonly transfers: readonly TokenTransfer[]
  readonly senderChanges: readonly AssetChange[] | undefined
}

/**
 * What the payments tell the owner of the trades. Every call runs in the transaction that moves the payment, and may come again for the
 * same thing after a crash.
 */
export interface TradeBook {
  /** Notes what came in. */
  mined(tx: Tx, trades: readonly MinedTrade[]): Promise<void>
  /** Not in the chain any more: nothing came in so far. */
  vanished(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void>
}
