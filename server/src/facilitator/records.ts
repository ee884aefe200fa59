import type { Address, Block, TransactionHash } from '../chains/chain.ts'
import type { ForeignSettlement } from '../chains/exact.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { AssetProfile, NetworkConfig } from '../kernel/network-config.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Tx } from '../store/postgres.ts'

/** A payment that a seller is about to receive. */
export interface NewReceived {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly network: NetworkConfig
  readonly asset: AssetProfile
  readonly amount: BaseUnits
  readonly payer: Address
  readonly payTo: Address
  readonly resource: string | null
}

/** Where a received payment stands. */
export interface ReceivedState {
  readonly status: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
  /** On chain, with its effect, at the depth at which a seller may release something. */
  readonly released: boolean
  /** The transaction that carries it, or the newest that might. */
  readonly hash: TransactionHash | null
  readonly logIndex: number | null
  readonly blockHeight: bigint | null
  readonly blockHash: string | null
  /** Whether the chain that was read has that very block; unknown above its top, and for blocks that it has forgotten. */
  readonly block: 'followed' | 'replaced' | 'unknown'
  /** Its newest transaction was included, and it came to nothing there. */
  readonly reverted: boolean
  /** Its newest transaction carries others as well. */
  readonly wasShared: boolean
  /** Its newest transaction was included, and everything in it came to nothing. */
  readonly revertedWhole: boolean
  /** Its newest transaction is in a final block, whatever it did there. */
  readonly isFinal: boolean
  /** Its newest transaction is as deep on chain, whatever it did there, as it would have to be to release something. */
  readonly isDeep: boolean
  /** The block that its newest transaction is in, whatever it did there; null while it is in none. */
  readonly attemptBlock: Pick<Block, 'height' | 'hash'> | null
  /** A transaction of ours is under way. */
  readonly underWay: boolean
}

/** What was heard of a payment since somebody began to listen. */
export interface Heard {
  hasChanged(): boolean
  end(): void
}

/**
 * The books of received payments, kept by the room that owns payments. The facilitator says what it knows of them inside its own
 * transactions.
 */
export interface ReceivedRecords {
  open(tx: Tx, received: NewReceived): Promise<void>
  openMany(tx: Tx, received: readonly NewReceived[]): Promise<void>
  /** Which payments are at their end, and which a transaction of ours still decides: those of both sets need no look at the chain. */
  decided(
    tx: Tx,
    paymentIds: readonly PaymentId[],
  ): Promise<{ readonly over: ReadonlySet<PaymentId>; readonly underWay: ReadonlySet<PaymentId> }>
  state(tx: Tx, accountId: AccountId, paymentId: PaymentId): Promise<ReceivedState | undefined>
  /**
   * The state as soon as it is released, reverted or at its end, or as it is when the time is over. `heard` of one that a transaction of ours was
   * stored for since it listens: as long as nothing was heard it is under way, and not read.
   */
  wait(
    payment: { readonly accountId: AccountId; readonly paymentId: PaymentId },
    until: { readonly atMilliseconds: number; readonly over: AbortSignal },
    heard?: Pick<Heard, 'hasChanged'>,
  ): Promise<ReceivedState | undefined>
  /** Listens for what becomes of a payment from now on; whoever calls it ends it. */
  listen(paymentId: PaymentId): Heard
  /** The record that the receiver has of a settlement already, because it came to a wallet of its own. Undefined when there is none. */
  depositOf(
    tx: Tx,
    received: NewReceived,
    settlement: ForeignSettlement,
  ): Promise<PaymentId | undefined>
  /**
   * Makes that record the claim's own, which is held: one effect has one record, and it is followed as what somebody else paid is followed.
   * False when the effect pays another claim.
   */
  adopt(
    tx: Tx,
    payment: { readonly accountId: AccountId; readonly paymentId: PaymentId },
    resource: string | null,
    settlement: ForeignSettlement,
  ): Promise<boolean>
  /**
   * Somebody else's transaction paid it; `final` when that cannot be undone any more. A block that is not the followed chain's changes
   * nothing, and neither does an effect that pays another claim.
   */
  paidElsewhere(
    tx: Tx,
    payment: { readonly accountId: AccountId; readonly paymentId: PaymentId },
    settlement: ForeignSettlement,
    final: boolean,
  ): Promise<'paid' | 'replaced' | 'pays another'>
  /** It is the other side of a payment that was sent from here: it goes where that one goes. */
  mirror(
    tx: Tx,
    payment: { readonly accountId: AccountId; readonly paymentId: PaymentId },
    sentId: PaymentId,
  ): Promise<void>
  /** The transaction that had paid it is not in the chain any more. */
  unseen(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void>
  /** It took no effect and never will: proven at finality. */
  expired(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void>
}

/**
 * Whether an attempt came to nothing so that somebody may hear of it: at the depth at which a success is given out, and not before. A block that
 * leaves the chain gives the bytes back, and a payer who was asked for another payment meanwhile pays twice. What came to nothing beside others is
 * tried again alone, and told to nobody.
 */
export function cameToNothing({
  reverted,
  underWay,
  wasShared,
  isDeep,
}: Pick<ReceivedState, 'reverted' | 'underWay' | 'wasShared' | 'isDeep'>): boolean {
  return reverted && !underWay && (wasShared || isDeep)
}
