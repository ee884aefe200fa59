import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { AssetChange, TokenTransfer, TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** One transaction of ours that the chain shows, with the payments it carries in the order of their effects. */
export interface MinedTransaction {
  readonly network: NetworkId
  readonly hash: TransactionHash
  readonly height: bigint
  readonly blockHash: string | null
  readonly succeeded: boolean
  readonly feePaid: BaseUnits
  /** Of this transaction alone, as the chain's `Outcome` says it. */
  readonly priorityFeePaid?: bigint
  readonly transfers: readonly TokenTransfer[]
  readonly senderChanges?: readonly AssetChange[]
  /** As the chain's `Outcome` says it. */
  readonly paysAccounts?: true
  readonly paymentIds: readonly PaymentId[]
}

/** A transaction of ours in a final block; what it did was seen when it was mined. */
export type FinalTransaction = Omit<
  MinedTransaction,
  'transfers' | 'senderChanges' | 'paysAccounts' | 'priorityFeePaid'
>

/** A payment that the transaction which carries it did not move. */
export interface WithoutEffect {
  readonly hash: TransactionHash
  readonly paymentId: PaymentId
}

/** What was made of mined transactions, inside the transaction that stores it. */
export interface Mined {
  /** Payments that had no part in what a successful transaction did. */
  readonly withoutEffect: readonly WithoutEffect[]
  /**
   * Keeps news of it back from those of this instance who wait, to be called when nothing is left but the commit. What it gives is called
   * once, however that ends: with how far the network has been read, and they are told what was stored; with nothing where it was not, or
   * nobody knows.
   */
  readonly hold: () => (followedHeight?: bigint) => void
}

/** A place in a lane that can never carry its payments any more. */
export interface DeadTransaction {
  readonly network: NetworkId
  /** `authorization_expired`: bytes that only the payer could make anew have outlived their lifetime. */
  readonly reason: 'nonce_used_by_another_transaction' | 'authorization_expired'
  readonly paymentIds: readonly PaymentId[]
}

/**
 * What the sender tells the owner of the payments. Every call runs inside the sender's own transaction, so that the
 * status, the ledger and the event move together with what was seen on chain. Each call may come again for the same
 * thing after a crash and must then change nothing.
 */
export interface PaymentBook {
  /** Seen in a block that may still be reorganised away. */
  mined(tx: Tx, transactions: readonly MinedTransaction[]): Promise<Mined>
  /** Not in the chain any more: the same bytes are being sent again. */
  vanished(tx: Tx, network: NetworkId, paymentIds: readonly PaymentId[]): Promise<void>
  /** In a block that the network's policy calls final. */
  final(tx: Tx, transactions: readonly FinalTransaction[]): Promise<void>
  /** Proven impossible, at finality. */
  dead(tx: Tx, transactions: readonly DeadTransaction[]): Promise<void>
  /** A final block was reorganised away: the policy was wrong and an operator must look. */
  finalityViolated(tx: Tx, network: NetworkId, paymentIds: readonly PaymentId[]): Promise<void>
}
