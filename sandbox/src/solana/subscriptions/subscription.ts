import type { Commitment } from '../chain/chain.ts'
import type { TransactionRecord } from '../chain/transaction-record.ts'
import type { RpcValue } from '../rpc-json.ts'

/** What happened in one block as far as one commitment has come. */
export interface Reached {
  readonly commitment: Commitment
  readonly slot: number
  readonly records: readonly TransactionRecord[]
  /** Addresses whose accounts changed. */
  readonly touched: ReadonlySet<string>
}

/** One thing that somebody wants to be told. Each part gives back the values to send now, in order. */
export interface Watch {
  /** Name of the notification, as in `accountNotification`. */
  readonly name: string
  /** A block, or a transaction in the open block, reached a commitment. */
  reached?(event: Reached): readonly RpcValue[]
  /** The chain moved: a slot was opened or something became final. */
  moved?(): readonly RpcValue[]
  /** After this nothing more comes, and the subscription is over. */
  isDone?(): boolean
}
