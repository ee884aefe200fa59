import type { BaseUnits } from '@florin/wire/amount.ts'
import type { FeePolicy } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import { quantityFrom, wordFrom } from './answer.ts'
import { blockFieldsFrom } from './block-fields.ts'
import type { Read } from '../json-rpc/transport.ts'

/** What a transaction offers per gas, in wei. Source: EIP-1559. */
export interface FeesPerGas {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** What the network asks for now, in wei per gas. */
export interface FeeMarket {
  readonly baseFeePerGas: bigint
  readonly suggestedTipPerGas: bigint
}

/** Room for the base fee to double, which takes at least six full blocks. */
const BASE_FEE_HEADROOM = 2n
const METHOD_NOT_FOUND = -32601

/** What the newest block says: its place in the chain and the base fee it paid. */
export const latestBlockRead: Read<{
  readonly height: bigint
  readonly hash: string
  /** Unix time of the chain. */
  readonly timeSeconds: bigint
  readonly baseFeePerGas: bigint
}> = {
  method: 'eth_getBlockByNumber',
  params: ['latest', false],
  parse: (result) => {
    const block = blockFieldsFrom(result, 'latest block')
    return {
      height: quantityFrom(block['number'], 'height of the latest block'),
      hash: wordFrom(block['hash'], 'hash of the latest block'),
      timeSeconds: quantityFrom(block['timestamp'], 'time of the latest block'),
      baseFeePerGas: quantityFrom(block['baseFeePerGas'], 'base fee'),
    }
  },
}

export const suggestedTipRead: Read<bigint> = {
  method: 'eth_maxPriorityFeePerGas',
  params: [],
  parse: (result) => quantityFrom(result, 'suggested tip'),
  // A node need not know the method; the configured tip is offered then.
  meaning: ({ code }) => (code === METHOD_NOT_FOUND ? 0n : undefined),
}

/**
 * The offer of a first attempt: twice the base fee and the tip, never above the policy's maximum. With `priorityFee`
 * (total, native base units) the tip is that over the gas limit, rounded down, so that the total stays within it.
 * Throws NodeFailure when the base fee alone is above the maximum: nothing would be mined.
 */
export function firstFees(
  market: FeeMarket,
  gas: bigint,
  policy: FeePolicy,
  priorityFee?: BaseUnits,
): FeesPerGas {
  const { baseFeePerGas, suggestedTipPerGas } = market
  if (baseFeePerGas > policy.feePerGasMax) {
    throw new NodeFailure('the network asks for more than the configured highest fee per gas')
  }
  const tip = priorityFee === undefined ? offeredTip(suggestedTipPerGas, policy) : priorityFee / gas
  const maxFeePerGas = smaller(BASE_FEE_HEADROOM * baseFeePerGas + tip, policy.feePerGasMax)
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) }
}

/** The tip per gas of our own choice: what the node suggests, at least the policy's default. */
export function offeredTip(suggestedTipPerGas: bigint, policy: FeePolicy): bigint {
  return larger(suggestedTipPerGas, policy.tipPerGasDefault)
}

/**
 * The offer of the next attempt at the same place: each fee at least 12.5 % higher (nodes want 10 %, and a strictly
 * higher number where that rounds to nothing), and enough for the current market when `feePerGasCeiling` allows it.
 * Undefined when the ceiling leaves no room.
 */
export function raisedFees(
  fees: FeesPerGas,
  market: FeeMarket,
  feePerGasCeiling: bigint,
): FeesPerGas | undefined {
  const least = raised(fees.maxFeePerGas)
  if (least > feePerGasCeiling) return undefined
  const tip = raised(fees.maxPriorityFeePerGas)
  const wanted = larger(least, BASE_FEE_HEADROOM * market.baseFeePerGas + tip)
  const maxFeePerGas = smaller(wanted, feePerGasCeiling)
  return tip > maxFeePerGas ? undefined : { maxFeePerGas, maxPriorityFeePerGas: tip }
}

/** At least +12.5 % and at least +1. */
function raised(fee: bigint): bigint {
  return larger((fee * 9n + 7n) / 8n, fee + 1n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
