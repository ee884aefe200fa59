import { fieldsOf } from '@florin/wire/x402/fields.ts'
import { receiverAccount } from '../custody/receiver-store.ts'
import type { AccountId } from '../kernel/id.ts'
import { duplicateMessage } from './duplicate-message.ts'
import { refused, takeIn, UPTO } from './intake.ts'
import type { Presented } from './intake.ts'
import type { SettleDeps } from './settling.ts'
import type { Verified } from './verify.ts'

/**
 * Ends a payment of `upto` for which its seller asks nothing: a good one is a success without a transaction. Nothing is claimed and nothing
 * stored, so what the payer signed is as good as before. Undefined for every other settlement. Source: the reference, `settleUptoPermit2`.
 */
export async function settleNothing(
  deps: Pick<SettleDeps, 'store' | 'records' | 'chains' | 'settlersOf' | 'claimOf'>,
  accountId: AccountId,
  presented: Presented,
): Promise<Verified | undefined> {
  const asked = fieldsOf(presented.paymentRequirements)
  if (asked?.['scheme'] !== UPTO || asked['amount'] !== '0') return undefined
  const purpose = 'settle nothing'
  const taken = takeIn(presented, deps.chains, deps.settlersOf, undefined, purpose)
  if (!taken.ok) return taken
  const { chain, exact, authorization, requirements } = taken.intake
  const { proofKey, payTo, payer } = authorization
  const { network, family } = chain.config
  const [claim, owner, check] = await Promise.all([
    deps.claimOf({ network, proofKey }),
    deps.store.inTransaction('service', (tx) => receiverAccount(tx, family, payTo)),
    exact.check(authorization),
  ])
  const no = (...[reason, message]: [Parameters<typeof refused>[0], string?]) =>
    refused(reason, requirements.networkName, payer, message)
  if (claim !== undefined) {
    return no('duplicate_settlement', await duplicateMessage(deps, claim, accountId))
  }
  if (owner !== undefined && owner !== accountId) return no('receiver_of_another_account')
  return check.ok ? taken : no(check.reason, check.message)
}
