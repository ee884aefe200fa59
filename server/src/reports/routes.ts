import type { Period } from '@florin/wire/overview.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { paymentGroups } from '../payments/overview-store.ts'
import { attentionOf } from './attention.ts'
import type { AttentionDeps } from './attention.ts'
import { figuresOf, latencyBounds, stretchesOf } from './overview.ts'
import { usageOf } from './usage.ts'
import type { UsageDeps } from './usage.ts'

const LIFETIME_SECONDS = {
  day: limits.overviewDaySeconds,
  month: limits.overviewMonthSeconds,
} as const satisfies Record<Period, number>

/** What sums an account up. */
export function reportRoutes(deps: AttentionDeps & UsageDeps): readonly Route[] {
  const figures = openFigures(deps)
  return [
    route(endpoints.getOverview, async ({ query: { period = 'day' }, caller: { accountId } }) => {
      const [found, attention] = await Promise.all([
        figures(accountId, period),
        attentionOf(deps, accountId),
      ])
      return { body: { ...found, attention: [...attention] } }
    }),
    route(endpoints.getUsage, async ({ caller: { accountId } }) => ({
      body: await usageOf(deps, accountId),
    })),
  ]
}

/** Reads the figures of an account at most once per lifetime, however many pages show them. */
function openFigures({ store, clock, networks }: AttentionDeps) {
  async function read(accountId: AccountId, period: Period) {
    const asOf = clock.nowMilliseconds()
    const stretches = stretchesOf(period, asOf)
    const groups = await store.inTransaction(accountId, (tx) =>
      paymentGroups(tx, accountId, { ...stretches, latencyBounds }),
    )
    const { fromMilliseconds: from, toMilliseconds: to } = stretches
    return { period, from, to, ...figuresOf(groups, stretches, networks), asOf }
  }

  type Figures = Awaited<ReturnType<typeof read>>
  const kept = new Map<
    string,
    { readonly atMilliseconds: number; readonly read: Promise<Figures> }
  >()

  return async (accountId: AccountId, period: Period): Promise<Figures> => {
    const name = `${period} ${accountId}`
    const now = clock.nowMilliseconds()
    const known = kept.get(name)
    const age = known === undefined ? -1 : now - known.atMilliseconds
    if (known !== undefined && age >= 0 && age < LIFETIME_SECONDS[period] * 1000) return known.read
    const entry = { atMilliseconds: now, read: read(accountId, period) }
    kept.delete(name)
    kept.set(name, entry)
    const [oldest] = kept.keys()
    if (kept.size > limits.overviewsKeptMax && oldest !== undefined) kept.delete(oldest)
    return entry.read.catch((error: unknown) => {
      if (kept.get(name) === entry) kept.delete(name)
      throw error
    })
  }
}
