import { formatAmount } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { unitsOf } from '@florin/wire/x402/fields.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { findPayment } from '../payments/store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Purchase } from './purchase.ts'

/** What a caller is willing to pay. */
export interface Willing {
  readonly asset: AssetProfile
  readonly ceiling: BaseUnits
}

/**
 * Throws Refusal POLICY_REFUSED when an open purchase for the same request is not what this caller is willing to pay: it is neither joined nor
 * is another signed beside it.
 */
export async function refuseUnfit(
  tx: Tx,
  { accountId, paymentId, stored }: Pick<Purchase, 'accountId' | 'paymentId' | 'stored'>,
  { asset, ceiling }: Willing,
): Promise<void> {
  const payment = await findPayment(tx, accountId, paymentId)
  if (payment === undefined) throw new Error('a purchase without its payment')
  const isOther = payment.asset !== asset.asset
  // What was signed for, not what was taken of it so far: a block that shows it may still be gone.
  const most = unitsOf(stored['value']) ?? payment.amount
  if (!isOther && most <= ceiling) return
  throw new Refusal('POLICY_REFUSED', {
    message: 'The same request is being paid for already, on terms that this one does not allow.',
    details: {
      rule: isOther ? 'asset' : 'maxAmount',
      wanted: formatAmount(most, payment.decimals),
      paymentId,
    },
  })
}
