import type { Json } from '../host/json.ts'

/** What a failing call is told: a JSON-RPC error, an HTTP 500, or nothing but a closed connection. */
export type Failure =
  | { readonly code: number; readonly message: string; readonly data?: Json }
  | 'http-500'
  | 'connection-reset'

/** Which calls, and how many of them; left out: all methods, until cleared. */
interface Reach {
  readonly methods?: readonly string[]
  readonly count?: number
}

/** Faults that stay until they are used up or cleared. They meet HTTP callers; the faucet and WebSockets go round them. */
export type StandingFault =
  /** eth_sendRawTransaction answers the transaction's hash (sendTransaction its signature) and forwards nothing. */
  | { readonly kind: 'drop'; readonly count?: number }
  | ({ readonly kind: 'delay'; readonly milliseconds: number } & Reach)
  /** Never answers; ends when the caller closes the connection. */
  | ({ readonly kind: 'hang' } & Reach)
  /** Answers `answer`; with `forward` the node has had the call before. */
  | ({ readonly kind: 'fail'; readonly forward: boolean; readonly answer: Failure } & Reach)
  /** Every request, the admin's own excepted. */
  | { readonly kind: 'down'; readonly how: 'http-500' | 'connection-reset' }

/** What only the EVM chain can do of the kind that stays. */
export type EvmOwnFault =
  /**
   * A node that lags: calls that name a block, or the newest one, are answered as of so many blocks ago, and newer blocks are unknown to it.
   * What is asked for by a hash is answered as always, as by a balancer that has other nodes, too.
   */
  { readonly kind: 'lag'; readonly blocks: number } & Reach

/** Faults that happen once, now, and are over when the answer comes. */
export type ImmediateFault =
  | { readonly kind: 'stop-blocks' }
  | { readonly kind: 'resume-blocks' }
  | { readonly kind: 'mine'; readonly blocks: number }
  /**
   * Replaces the last `depth` blocks; their transactions do not return to the pool. `rivals` go into the new blocks
   * (`block` counts from the oldest replaced one, 0). More than 2 blocks takes back what was called final.
   */
  | {
      readonly kind: 'reorg'
      readonly depth: number
      readonly rivals?: readonly { readonly raw: string; readonly block: number }[]
    }
  /** The pool forgets a transaction. */
  | { readonly kind: 'evict'; readonly transactionHash: string }
  /** Base fee of the next block; from there it moves as the protocol says. */
  | { readonly kind: 'base-fee'; readonly weiPerGas: string }
  /** SIGKILL for anvil; the supervisor starts it again. */
  | { readonly kind: 'kill-node' }

/** What only the Solana chain can do; WebSockets go round it, too. */
export type SolanaOwnFault =
  /** Slots pass no more; what is sent waits for one. */
  | { readonly kind: 'stop-blocks' }
  | { readonly kind: 'resume-blocks' }
  /** Passes slots now, stopped or not. */
  | { readonly kind: 'mine'; readonly blocks: number }
  /** Passes as many slots as no blockhash of now lives through. */
  | { readonly kind: 'expire' }
  /**
   * The next `transactions` that land, the faucet's included, do so on a minority fork: seen, confirmed, and gone
   * `slots` slots after the last of them, their slots skipped. They may land again while their blockhash lives.
   */
  | { readonly kind: 'fork'; readonly transactions: number; readonly slots: number }
  /** Reads answer as of so many slots ago, until cleared. */
  | { readonly kind: 'lag'; readonly slots: number }
  /** The next `count` questions after a transaction find none, whatever landed. */
  | { readonly kind: 'blind'; readonly count?: number }
  /** SIGKILL for the chain's process; the supervisor starts it again. */
  | { readonly kind: 'kill-node' }

export type EvmFault = (StandingFault | EvmOwnFault | ImmediateFault) & { readonly chain?: 'evm' }
export type SolanaFault = (StandingFault | SolanaOwnFault) & { readonly chain: 'solana' }

/** A fault of one chain; the EVM chain when none is named. */
export type Fault = EvmFault | SolanaFault
