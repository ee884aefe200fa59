import type { ChannelState } from '../../chains/batch.ts'
import type { AccountId } from '../../kernel/id.ts'
import { isIdentifierTaken } from '../identifier-store.ts'
import { refused } from '../intake.ts'
import type { Presented, Refused } from '../intake.ts'
import type { VerifyDeps } from '../verify.ts'
import { takeInBatch } from './intake.ts'
import type { BatchIntake } from './intake.ts'
import { namedDeposit } from './named-deposit.ts'

export type VerifyBatchDeps = Pick<VerifyDeps, 'store' | 'records' | 'chains' | 'settlersOf'> &
  Required<Pick<VerifyDeps, 'receiverOf'>>

export type BatchVerified =
  { readonly ok: true; readonly intake: BatchIntake; readonly channel: ChannelState } | Refused

/** Whether a deposit would be taken now, or a voucher or a wish for a refund is good: a statement, not a lock. Throws NodeFailure. */
export async function verifyBatch(
  deps: VerifyBatchDeps,
  accountId: AccountId,
  presented: Presented,
): Promise<BatchVerified> {
  const taken = takeInBatch(presented, deps.chains, deps.settlersOf)
  if (!taken.ok) return taken
  const { intake } = taken
  const { order, chain, networkName } = intake
  const { family } = chain.config
  // What moves money asks the database (make-call.ts); vouchers are looked at by the thousand, for one receiver.
  const owners = await Promise.all(
    order.receivers.map(async (address) => deps.receiverOf({ family, address })),
  )
  if (owners.some((owner) => owner !== undefined && owner !== accountId)) {
    return refused('receiver_of_another_account', networkName, order.payer)
  }
  const checked = await order.check()
  if (!checked.ok) return refused(checked.reason, networkName, order.payer, checked.message)
  // Only whoever shows what its payer has signed hears of that payer's other deposits.
  return (await isNameOfAnother(deps, accountId, intake))
    ? refused('payment_identifier_conflict', networkName, order.payer)
    : { ok: true, intake, channel: checked.channel }
}

async function isNameOfAnother(
  { store, records }: Pick<VerifyDeps, 'store' | 'records'>,
  accountId: AccountId,
  intake: BatchIntake,
): Promise<boolean> {
  if (intake.identifier === null) return false
  const call = await intake.order.key()
  const named = call.ok ? namedDeposit(accountId, intake, call.key) : undefined
  if (named === undefined) return false
  return store.inTransaction('service', (tx) => isIdentifierTaken(tx, records, named))
}
