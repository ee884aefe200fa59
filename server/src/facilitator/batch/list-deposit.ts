import type { AccountId } from '../../kernel/id.ts'
import type { Presented } from '../intake.ts'
import { listPaid, wouldBeListed } from '../list-settled.ts'
import type { BazaarSaid } from '../list-settled.ts'
import type { Lister } from '../lister.ts'
import type { BatchSettled } from './settle-batch.ts'
import type { BatchVerified } from './verify-batch.ts'

/** What would become of the offer once the deposit that came with it is made: vouchers and refunds list nothing, whatever comes with them. */
export function bazaarOfDeposit(
  verified: BatchVerified,
  presented: Presented,
): BazaarSaid | undefined {
  if (!verified.ok || verified.intake.order.operation !== 'deposit') return undefined
  return wouldBeListed(verified.intake.chain, presented)
}

/** Has what a deposit was made for listed, at the first time that its success is given out. Nobody waits for a listing, and none fails a deposit. */
export function listDeposit(
  list: Lister,
  accountId: AccountId,
  settled: BatchSettled,
  presented: Presented,
): BazaarSaid | undefined {
  if (settled.kind !== 'settled' && settled.kind !== 'pending') return undefined
  const { chain, order, requirements } = settled.intake
  if (order.operation !== 'deposit') return undefined
  const [payTo] = order.receivers
  const name = settled.kind === 'settled' ? settled.deposit : undefined
  if (name === undefined || payTo === undefined) return wouldBeListed(chain, presented)
  const paid = { chain, requirements, payTo, asset: order.asset.asset }
  // The price of one request; what is deposited is for many.
  const amount = `${requirements.amount}`
  return listPaid(list, { accountId, counted: { deposit: name } }, { ...paid, amount }, presented)
}
