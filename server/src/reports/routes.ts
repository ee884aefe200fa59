import type { Period } from '@florin/wire/overview.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { AccountId } from '../kernel/id.ts'
import { keepRead } from '../kernel/keep-read.ts'
import { limits } from '../kernel/limits.ts'
import { paymentFigures } from '../payments/overview-store.ts'
import { attentionOf } from './attention.ts'
import type { Attention, AttentionDeps } from './attention.ts'
import { figuresOf, stretchesOf } from './overview.ts'
import { usageOf } from './usage.ts'
import type { UsageDeps } from './usage.ts'

const LIFETIME_SECONDS = {
  hour: limits.overviewHourSeconds,
  day: limits.overviewDaySeconds,
  month: limits.overviewMonthSeconds,
} as const satisfies Record<Period, number>

/** What sums an account up. */
export function reportRoutes(deps: AttentionDeps & UsageDeps): readonly Route[] {
  const { clock, networks, store } = deps
  const keptMax = limits.overviewsKeptMax
  const keepFigures = keepRead<Figures>({ clock, keptMax })
  const keepAttention = keepRead<readonly Attention[]>({ clock, keptMax })

  async function readFigures(accountId: AccountId, period: Period, asOf: number): Promise<Figures> {
    const stretches = stretchesOf(period, asOf)
    const read = await store.inTransaction(accountId, (tx) =>
      paymentFigures(tx, accountId, stretches),
    )
    const { fromMilliseconds: from, toMilliseconds: to } = stretches
    return { period, from, to, ...figuresOf(read, stretches, networks), asOf }
  }

  return [
    route(endpoints.getOverview, async ({ query: { period = 'day' }, caller: { accountId } }) => {
      const [figures, attention] = await Promise.all([
        keepFigures(`${period} ${accountId}`, LIFETIME_SECONDS[period], (asOf) =>
          readFigures(accountId, period, asOf),
        ),
        // It asks nodes about wallets that are low.
        keepAttention(accountId, limits.attentionSeconds, () => attentionOf(deps, accountId)),
      ])
      return { body: { ...figures, attention: [...attention] } }
    }),
    route(endpoints.getUsage, async ({ caller: { accountId } }) => ({
      body: await usageOf(deps, accountId),
    })),
  ]
}

type Figures = ReturnType<typeof figuresOf> & {
  readonly period: Period
  readonly from: number
  readonly to: number
  readonly asOf: number
}
