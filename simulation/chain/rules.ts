import type { Verdict } from '@florin/server/chains/chain.ts'
import type { ModelBlock } from './block-tree.ts'
import { balanceKey, isOutside, nonceKey } from './block-tree.ts'
import type { HeardTransfer } from './signed-transfer.ts'

/** What a kind of chain lets into its blocks and its nodes' pools. */
export interface Rules {
  /** Whether the next block, with this state before it, may hold it. */
  admits(transfer: HeardTransfer, state: State, next: Surroundings): boolean
  /** What a node with this tip and pool says when it is handed the bytes; `accepted` means that it keeps them. */
  judge(
    transfer: HeardTransfer,
    node: { tip: ModelBlock; pool: Iterable<HeardTransfer>; isMined: boolean },
    next: Surroundings,
  ): Verdict
}

export interface Surroundings {
  readonly height: bigint
  readonly baseFee: bigint
}

type State = ModelBlock['state']

const GAP_MAX = 8n

function balanceOf(state: State, { from }: HeardTransfer): bigint {
  return state.get(balanceKey(from, 'native')) ?? 0n
}

function nativeCost({ asset, amount, fee }: HeardTransfer): bigint {
  return fee + (asset === 'native' ? amount : 0n)
}

/** Each place of a sender holds one transaction, in order; the fee decides which and when. */
export const feeRules: Rules = {
  admits: (transfer, state, { baseFee }) =>
    isOutside(transfer.from) ||
    (transfer.nonce === (state.get(nonceKey(transfer.from)) ?? 0n) &&
      transfer.fee >= baseFee &&
      balanceOf(state, transfer) >= nativeCost(transfer)),
  judge: (transfer, { tip, pool }, { baseFee }) => {
    const used = tip.state.get(nonceKey(transfer.from)) ?? 0n
    if (transfer.nonce < used) return { kind: 'nonce_too_low' }
    if (transfer.nonce > used + GAP_MAX) return { kind: 'nonce_too_high' }
    for (const rival of pool) {
      if (rival.hash === transfer.hash) return { kind: 'known' }
      const isSamePlace = rival.from === transfer.from && rival.nonce === transfer.nonce
      if (isSamePlace && transfer.fee * 10n < rival.fee * 11n) {
        return { kind: 'replacement_underpriced' }
      }
    }
    if (transfer.fee * 4n < baseFee) return { kind: 'rejected', reason: 'fee_too_low' }
    if (balanceOf(tip.state, transfer) < nativeCost(transfer)) {
      return { kind: 'rejected', reason: 'insufficient_funds' }
    }
    return { kind: 'accepted' }
  },
}

/** A transaction lives until a height, in any order, once. */
export const lifetimeRules: Rules = {
  admits: (transfer, state, { height }) =>
    isOutside(transfer.from) ||
    (height <= transfer.lifetime && balanceOf(state, transfer) >= transfer.fee),
  judge: (transfer, { tip, pool, isMined }, { height }) => {
    if (isMined) return { kind: 'known' }
    for (const { hash } of pool) if (hash === transfer.hash) return { kind: 'known' }
    if (height > transfer.lifetime) return { kind: 'rejected', reason: 'invalid' }
    if (balanceOf(tip.state, transfer) < transfer.fee) {
      return { kind: 'rejected', reason: 'insufficient_funds' }
    }
    return { kind: 'accepted' }
  },
}
