import type { Static } from 'typebox'
import { formatAmount } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { WalletPolicyBody } from '@florin/wire/wallet.ts'
import type { Audit } from '../audit/audit.ts'
import type { Actor, AuditDetail } from '../audit/entry.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { lockWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { AMOUNT_RULES, isEmpty, storedRules } from '../policies/rules.ts'
import type { PolicyRules } from '../policies/rules.ts'
import { readPolicy, writePolicy } from '../policies/store.ts'
import type { Store } from '../store/postgres.ts'
import { findOwnWallet, noSuchWallet } from './find-own-wallet.ts'
import { readPolicyBody } from './policy-body.ts'

/**
 * Replaces a wallet's policy; rules that forbid nothing remove it, and then `policy` is undefined. Refuses as readPolicyBody does, NOT_FOUND, and
 * FORBIDDEN where there is another one already and the caller may not replace it.
 */
export async function setPolicy(
  deps: {
    readonly store: Store
    readonly directory: ChainDirectory
    readonly clock: Clock
    readonly audit: Audit
  },
  {
    accountId,
    address,
    actor,
    mayReplace,
  }: {
    readonly accountId: AccountId
    readonly address: string
    readonly actor: Actor
    /** Whoever may only spend sets a first policy, and lifts none: it is there for them. */
    readonly mayReplace: boolean
  },
  body: Static<typeof WalletPolicyBody>,
): Promise<{ readonly wallet: Wallet; readonly policy: PolicyRules | undefined }> {
  const { store, directory, clock, audit } = deps
  return store.inTransaction(accountId, async (tx) => {
    const wallet = await findOwnWallet(tx, directory, accountId, address)
    const rules = readPolicyBody(directory, wallet, body)
    // Signing transactions keep the wallet: when this answers, none is left that saw the old policy.
    if (!(await lockWallet(tx, accountId, wallet.id))) throw noSuchWallet()
    const policy = isEmpty(rules) ? undefined : rules
    const whose = { accountId, walletId: wallet.id }
    const before = await readPolicy(tx, whose)
    if (!mayReplace && before !== undefined && !isSame(before, policy)) throw replaced()
    await writePolicy(tx, whose, policy ?? null, clock.nowMilliseconds())
    if (before !== undefined || policy !== undefined) {
      const details = { address: wallet.address, before: noted(before), after: noted(policy) }
      const action = policy === undefined ? 'wallet.policy_removed' : 'wallet.policy_set'
      await audit.note(tx, { accountId, actor, action, object: wallet.id, details })
    }
    return { wallet, policy }
  })
}

function isSame(before: PolicyRules, after: PolicyRules | undefined): boolean {
  return after !== undefined && storedRules(before) === storedRules(after)
}

function replaced(): Refusal {
  return new Refusal('FORBIDDEN', {
    message:
      'This wallet has a spending policy, and whoever may spend from it may not change or lift that.',
    details: { scope: 'needs admin' },
  })
}

/** A policy as the audit log keeps it: whole units as text, so that no reader rounds them. */
function noted(rules: PolicyRules | undefined): AuditDetail {
  if (rules === undefined) return null
  const limits = rules.limits.map(({ network, asset, decimals, ...amounts }) => ({
    network,
    asset,
    ...Object.fromEntries(
      AMOUNT_RULES.flatMap((rule) => {
        const units = amounts[rule]
        return units === undefined ? [] : [[rule, formatAmount(units, decimals)]]
      }),
    ),
  }))
  return { limits, recipients: rules.recipients, resources: rules.resources }
}
