import { Refusal } from '@florin/wire/errors.ts'
import { listPlans, planOfAccount } from '../access/plan-store.ts'
import type { PlanFacts } from '../access/plan-store.ts'
import { findKeys } from '../access/store.ts'
import type { KeyFacts } from '../access/store.ts'
import type { Windows } from '../access/windows.ts'
import { PLANS } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Store } from '../store/postgres.ts'
import { dayBefore } from './count-requests.ts'
import { countsSince } from './day-store.ts'

const DAYS = 30
const WEBHOOKS_MAX = {
  standard: limits.webhooksStandardMax,
  premium: limits.webhooksPremiumMax,
  enterprise: limits.webhooksEnterpriseMax,
} as const

export interface UsageDeps {
  readonly store: Store
  readonly clock: Clock
  /** The windows of keys on this instance. */
  readonly windows: Pick<Windows, 'look'>
}

/** The plan of an account, what it allows, and what was used of it. */
export async function usageOf({ store, clock, windows }: UsageDeps, accountId: AccountId) {
  const now = clock.nowMilliseconds()
  const first = dayBefore(now, DAYS - 1)
  const read = await store.inTransaction(accountId, async (tx) => ({
    account: await planOfAccount(tx, accountId),
    plans: await listPlans(tx),
    keys: await findKeys(tx, accountId),
    counts: await countsSince(tx, accountId, first),
  }))
  const { account, plans, counts } = read
  if (account === undefined) throw new Refusal('NOT_FOUND')
  const live = read.keys.filter(({ expiresAtMilliseconds: at }) => at === null || at > now)
  const had = new Set([account.plan, ...live.map(({ plan }) => plan)])
  const best = PLANS.findLast((plan) => had.has(plan)) ?? account.plan
  const perMinute = (plan: PlanFacts['plan']) => {
    const facts = plans.find((each) => each.plan === plan)
    const ofPlan = facts?.requestsPerMinute ?? null
    return plan === 'enterprise' ? (account.ownRequestsPerMinute ?? ofPlan) : ofPlan
  }
  const facts = plans.find((each) => each.plan === best)
  return {
    plan: best,
    limits: {
      requestsPerMinute: perMinute(best),
      keys: limits.liveKeysPerAccountMax,
      wallets: limits.walletsPerAccountMax,
      receivingAddresses: limits.receiversPerAccountMax,
      webhooks: WEBHOOKS_MAX[best],
      eventSockets: facts?.eventSockets ?? null,
      socketMessagesPerSecond: facts?.socketMessagesPerSecond ?? null,
    },
    keys: live.map((key) => keyUse(key, perMinute(key.plan), windows)),
    days: Array.from({ length: DAYS }, (_, index) => {
      const day = dayBefore(now, DAYS - 1 - index)
      return { day, requests: counts.get(day) ?? 0 }
    }),
  }
}

function keyUse(
  { keyId, name, lastFour, plan }: KeyFacts,
  requestsPerMinute: number | null,
  windows: Pick<Windows, 'look'>,
) {
  const window = windows.look(keyId)
  return {
    keyId,
    name,
    lastFour,
    plan,
    requestsPerMinute,
    used: window?.taken ?? 0,
    resetsAt: window?.resetAtMilliseconds ?? null,
  }
}
