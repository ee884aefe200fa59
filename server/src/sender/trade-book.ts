import type { AssetChange, TokenTransfer } from '../chains/chain.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { PaymentId, TradeId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** A trade whose payment has just taken effect, with what its transaction shows. */
export interface MinedTrade {
  readonly network: NetworkId
  readonly tradeId: TradeId
  readonly height: bigint
  readonly transfers: readonly TokenTransfer[]
  readonly senderChanges: readonly AssetChange[] | undefined
  /** What its transaction paid to be included sooner, native base units; undefined where the chain does not tell. */
  readonly priorityFeePaid: bigint | undefined
}

/** What a trade brought in: money that the ledger does not have yet. Base units. */
export interface Proceeds {
  readonly paymentId: PaymentId
  readonly asset: string
  readonly units: bigint
}

/**
 * What the payments tell the owner of the trades. Every call runs in the transaction that moves the payment, and may come again for the
 * same thing after a crash.
 */
export interface TradeBook {
  /** The trades among these payments whose venue nobody here can read: what their transactions did is not known here. */
  unreadable(
    tx: Tx,
    network: NetworkId,
    paymentIds: readonly PaymentId[],
  ): Promise<ReadonlySet<PaymentId>>
  /** Notes what came in, and what was paid to be included sooner. */
  mined(tx: Tx, trades: readonly MinedTrade[]): Promise<void>
  /** Not in the chain any more: nothing came in so far. What the ledger has stays, as with any deposit. */
  vanished(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void>
  /**
   * Holds what trades of a wallet brought and the ledger has not until the transaction ends: no reorganisation forgets it while what a look has found
   * gets its names.
   */
  holdUnbooked(
    tx: Tx,
    wallet: { readonly network: NetworkId; readonly address: string },
  ): Promise<void>
  /**
   * What came in, of each asset up to the block of the look at it, and the ledger has not: given out once. Asked when a look at the chain has
   * found money that the books did not know, because that look has seen it. What an untold trade brought is in that money, too, and stays
   * without its name: whatever is told of it later, the ledger has it.
   */
  unbooked(
    tx: Tx,
    wallet: {
      readonly network: NetworkId
      readonly address: string
      readonly looks: readonly { readonly asset: string; readonly heightMax: bigint }[]
      /** Payments of the wallet of which no node tells what they brought, and the heights of their blocks. */
      readonly untold: readonly { readonly paymentId: PaymentId; readonly height: bigint }[]
    },
  ): Promise<readonly Proceeds[]>
  /** The same for payments that have become final. */
  final(tx: Tx, paymentIds: readonly PaymentId[]): Promise<readonly Proceeds[]>
}
