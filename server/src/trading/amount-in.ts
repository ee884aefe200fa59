import { partOf } from './slippage.ts'

/** How much is to go in: base units, or a part of what the wallet has, in percent. */
export type Wanted =
  | { readonly kind: 'units'; readonly units: bigint }
  | { readonly kind: 'share'; readonly percent: string }

/** What that is of a balance. Base units, rounded down. */
export function amountOf(wanted: Wanted, balance: bigint): bigint {
  return wanted.kind === 'units' ? wanted.units : partOf(balance, wanted.percent)
}
