import type { ChannelState } from '../../chains/batch.ts'
import type { AccountId } from '../../kernel/id.ts'
import { refused } from '../intake.ts'
import type { Presented, Refused } from '../intake.ts'
import type { VerifyDeps } from '../verify.ts'
import { takeInBatch } from './intake.ts'
import type { BatchIntake } from './intake.ts'
import { isOfAnother } from './receivers.ts'

export type BatchVerified =
  { readonly ok: true; readonly intake: BatchIntake; readonly channel: ChannelState } | Refused

/** Whether a deposit would be taken now, or a voucher or a wish for a refund is good: a statement, not a lock. Throws NodeFailure. */
export async function verifyBatch(
  deps: Pick<VerifyDeps, 'store' | 'chains' | 'settlersOf'>,
  accountId: AccountId,
  presented: Presented,
): Promise<BatchVerified> {
  const taken = takeInBatch(presented, deps.chains, deps.settlersOf)
  if (!taken.ok) return taken
  const { intake } = taken
  const { order, chain, networkName } = intake
  const { family } = chain.config
  const isOthers = await deps.store.inTransaction('service', (tx) =>
    isOfAnother(tx, family, order.receivers, accountId),
  )
  if (isOthers) {
    return refused('receiver_of_another_account', networkName, order.payer)
  }
  const checked = await order.check()
  return checked.ok
    ? { ok: true, intake, channel: checked.channel }
    : refused(checked.reason, networkName, order.payer, checked.message)
}
