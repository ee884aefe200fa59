import type { BaseUnits } from '@florin/wire/amount.ts'
import type { FeePolicy } from '../../kernel/network-config.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Read } from '../json-rpc/transport.ts'
import { integerFrom } from './answer.ts'
import type { Budget } from './transfer.ts'

/** What the network takes for a transaction's one signature, in lamports. Half of it is burnt. */
export const SIGNATURE_FEE = 5_000n
const MICRO = 1_000_000n
const U64_MAX = 2n ** 64n - 1n
/** Of the recent slots' prices, this share is at or below what we offer. */
const PERCENTILE = 75

/**
 * The price per compute unit that recent slots asked for, in millionths of a lamport: the 75th percentile of the lowest that
 * got into each of the last 150 slots.
 */
export const recentPriceRead: Read<bigint> = {
  method: 'getRecentPrioritizationFees',
  params: [[]],
  parse: (result) => {
    const prices = listFrom(result, 'recent fees')
      .map((each) => integerFrom(fieldsFrom(each, 'recent fee')['prioritizationFee'], 'recent fee'))
      .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    return prices[Math.ceil((prices.length * PERCENTILE) / 100) - 1] ?? 0n
  },
}

/** The price of our own choice: what the network asks, at least the policy's default and at most its maximum. */
export function automaticPrice(recent: bigint, policy: FeePolicy): bigint {
  const wanted = recent > policy.tipPerGasDefault ? recent : policy.tipPerGasDefault
  return wanted < policy.feePerGasMax ? wanted : policy.feePerGasMax
}

/** The price that a caller's total buys, rounded down so that the total stays within it. */
export function fixedPrice(total: BaseUnits, units: bigint): bigint {
  const price = (total * MICRO) / units
  return price < U64_MAX ? price : U64_MAX
}

/** What the network takes on top of the signature fee, in lamports. Source: Agave, rounded up. */
export function priorityFeeOf({ units, pricePerUnit }: Budget): bigint {
  return (units * pricePerUnit + MICRO - 1n) / MICRO
}

/** The highest price that stays within so many lamports. */
export function priceWithin(lamports: bigint, units: bigint): bigint {
  return lamports <= 0n ? 0n : (lamports * MICRO) / units
}

/**
 * The price of the next attempt after one that did not get in: at least twice the old one, what the network asks for now if that
 * is more, within policy and ceiling.
 */
export function raisedPrice(
  before: Budget,
  recent: bigint,
  policy: FeePolicy,
  lamportsMax: bigint,
): bigint {
  const doubled = before.pricePerUnit * 2n
  const asked = automaticPrice(recent > doubled ? recent : doubled, policy)
  const affordable = priceWithin(lamportsMax, before.units)
  return asked < affordable ? asked : affordable
}
