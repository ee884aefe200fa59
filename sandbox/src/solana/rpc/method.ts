import type { Json, JsonObject } from '../../host/json.ts'
import type { Commitment, SolanaChain } from '../chain/chain.ts'
import type { RpcValue } from '../rpc-json.ts'
import { commitmentOf, wholeOf } from './params.ts'
import { RPC_CODE, RpcFailure } from './rpc-failure.ts'

export const API_VERSION = '4.3.0'

/** How this node differs from an honest one, for fault tests. */
export interface Distortion {
  /** Reads answer as of so many slots ago. */
  lagSlots(): number
  /** Transactions that landed are not found. Asking uses it up. */
  hidesTransactions(): boolean
}

export interface RpcContext {
  readonly chain: SolanaChain
  readonly distortion: Distortion
  /** Pays an airdrop and gives back its signature. */
  readonly airdrop: (address: string, lamports: bigint) => Promise<string>
}

/** One method of the RPC. @throws {RpcFailure} */
export type Method = (context: RpcContext, params: readonly Json[]) => RpcValue | Promise<RpcValue>

export type Methods = Readonly<Record<string, Method>>

/** What a call sees: everything up to a slot. */
export interface View {
  readonly slot: number
  readonly commitment: Commitment
}

export function viewAt({ chain, distortion }: RpcContext, commitment: Commitment): View {
  const slot = chain.slotOf(commitment)
  const lag = distortion.lagSlots()
  if (lag === 0) return { slot, commitment }
  const oldest = chain.bank.blocks()[0]?.slot ?? 0
  const goal = Math.max(oldest, Math.min(slot, chain.bank.open().slot - lag))
  return { slot: chain.bank.blockAt(goal).slot, commitment }
}

/** The view that a call's configuration asks for. @throws {RpcFailure} when `minContextSlot` is ahead of it */
export function viewFor(context: RpcContext, config: JsonObject, usual?: Commitment): View {
  const view = viewAt(context, commitmentOf(config, usual))
  const least = wholeOf(config['minContextSlot'], 'minContextSlot')
  if (least !== undefined && least > view.slot) {
    throw new RpcFailure(RPC_CODE.minContextSlot, 'Minimum context slot has not been reached', {
      contextSlot: view.slot,
    })
  }
  return view
}

export function withContext({ slot }: View, value: RpcValue): RpcValue {
  return { context: { apiVersion: API_VERSION, slot }, value }
}
