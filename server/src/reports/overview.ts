import { formatAmount } from '@florin/wire/amount.ts'
import type { Period } from '@florin/wire/overview.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { latencyBounds } from '../payments/latency-bounds.ts'
import type { PaymentFigures, PaymentGroup, PaymentLatencies } from '../payments/overview-store.ts'

const MINUTE_MILLISECONDS = 60_000
const HOUR_MILLISECONDS = 60 * MINUTE_MILLISECONDS
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS
const LENGTHS = {
  hour: { lengthMilliseconds: MINUTE_MILLISECONDS, count: 60 },
  day: { lengthMilliseconds: HOUR_MILLISECONDS, count: 24 },
  month: { lengthMilliseconds: DAY_MILLISECONDS, count: 30 },
} as const satisfies Record<Period, object>

/** The stretches of a period, the last of which is running now. In UTC. */
export function stretchesOf(period: Period, nowMilliseconds: number) {
  const { lengthMilliseconds, count } = LENGTHS[period]
  const running = Math.floor(nowMilliseconds / lengthMilliseconds) * lengthMilliseconds
  return {
    fromMilliseconds: running - (count - 1) * lengthMilliseconds,
    toMilliseconds: running + lengthMilliseconds,
    lengthMilliseconds,
    count,
  }
}

/** The figures of a period: its totals and each of its stretches. */
export function figuresOf(
  { groups, latencies }: PaymentFigures,
  stretches: ReturnType<typeof stretchesOf>,
  networks: readonly NetworkConfig[],
) {
  const { fromMilliseconds, lengthMilliseconds, count } = stretches
  const groupsBy = Map.groupBy(groups, ({ bucket }) => bucket)
  const latenciesBy = Map.groupBy(latencies, ({ bucket }) => bucket)
  return {
    totals: sum(groups, latencies, networks),
    buckets: Array.from({ length: count }, (_, bucket) => ({
      from: fromMilliseconds + bucket * lengthMilliseconds,
      ...sum(groupsBy.get(bucket) ?? [], latenciesBy.get(bucket) ?? [], networks),
    })),
  }
}

function sum(
  groups: readonly PaymentGroup[],
  latencies: readonly PaymentLatencies[],
  networks: readonly NetworkConfig[],
) {
  const counted = (statuses: readonly PaymentGroup['status'][]) =>
    groups
      .filter(({ status }) => statuses.includes(status))
      .reduce((total, { payments }) => total + payments, 0)
  const succeeded = counted(['confirmed', 'settled'])
  const failed = counted(['failed'])
  return {
    payments: groups.reduce((total, { payments }) => total + payments, 0),
    succeeded,
    failed,
    expired: counted(['expired']),
    pending: counted(['pending']),
    successRate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    latency: latencyOf(latencies),
    volume: volumesOf(groups, networks),
  }
}

function latencyOf(latencies: readonly PaymentLatencies[]) {
  const bins = new Map<number, number>()
  for (const { payments } of latencies) {
    for (const [bin, each] of payments) bins.set(bin, (bins.get(bin) ?? 0) + each)
  }
  const sorted = [...bins].sort(([one], [other]) => one - other)
  const all = sorted.reduce((total, [, payments]) => total + payments, 0)
  if (all === 0) return null
  const within = (share: number) => {
    let seen = 0
    for (const [bin, payments] of sorted) {
      seen += payments
      // What lies above the last bound took at least that long.
      if (seen >= share * all) return latencyBounds[bin] ?? latencyBounds.at(-1) ?? 0
    }
    return 0
  }
  return { p50: within(0.5), p95: within(0.95) }
}

function volumesOf(groups: readonly PaymentGroup[], networks: readonly NetworkConfig[]) {
  const assets = Map.groupBy(groups, ({ network, asset, decimals }) =>
    JSON.stringify([network, asset, decimals]),
  )
  return [...assets.values()]
    .map((alike) => volumeOf(alike, networks))
    .sort((one, other) => other.payments - one.payments)
}

function volumeOf(alike: readonly PaymentGroup[], networks: readonly NetworkConfig[]) {
  const { network = '', asset = '', decimals = 0 } = alike[0] ?? {}
  const profile = networks
    .find((config) => config.network === network)
    ?.assets.find((each) => each.asset === asset)
  const moved = (type: PaymentGroup['type']) =>
    alike
      .filter((group) => group.type === type && ['confirmed', 'settled'].includes(group.status))
      .reduce((total, { amount }) => total + amount, 0n)
  const [sent, received] = [moved('sent'), moved('received')]
  return {
    network,
    asset,
    symbol: profile?.symbol ?? null,
    decimals,
    payments: alike.reduce((total, { payments }) => total + payments, 0),
    sent: new RawJson(formatAmount(sent, decimals)),
    sentBaseUnits: sent.toString(),
    received: new RawJson(formatAmount(received, decimals)),
    receivedBaseUnits: received.toString(),
  }
}
