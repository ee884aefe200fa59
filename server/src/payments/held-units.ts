import { nativeUnitsPerUnit } from '../kernel/currency-tokens.ts'
import type { Hold } from '../ledger/entry.ts'
import type { Payment } from './payment.ts'

/**
 * What the amount of a payment is in the books of one of its open holds, base units of those: all of it where they are of its own asset, nothing in the native
 * ones beside that. A token payment that holds nothing of its token is of one that is the native currency, and holds its amount there. By the holds and not by
 * what is listed now: a payment ends in the books that it began in.
 */
export function heldUnits(
  { asset }: Pick<Hold, 'asset'>,
  holds: readonly Pick<Hold, 'asset'>[],
  payment: Pick<Payment, 'asset' | 'decimals' | 'amount'>,
): bigint {
  if (asset === payment.asset) return payment.amount
  const isApart = holds.some((each) => each.asset === payment.asset)
  return isApart ? 0n : payment.amount * nativeUnitsPerUnit(payment.decimals)
}
