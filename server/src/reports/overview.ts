import { formatAmount } from '@florin/wire/amount.ts'
import type { Period } from '@florin/wire/overview.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { PaymentGroup } from '../payments/overview-store.ts'

const HOUR_MILLISECONDS = 3_600_000
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS
const LENGTHS = {
  day: { lengthMilliseconds: HOUR_MILLISECONDS, count: 24 },
  month: { lengthMilliseconds: DAY_MILLISECONDS, count: 30 },
} as const satisfies Record<Period, object>

/** Each 5 % above the one before, up to more than an hour: what is said of a latency is at most that much too high. */
const LATENCY_STEP = 1.05
const LATENCY_BOUNDS = 320
export const latencyBounds: readonly number[] = [
  ...new Set(Array.from({ length: LATENCY_BOUNDS }, (_, step) => Math.ceil(LATENCY_STEP ** step))),
]

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
  groups: readonly PaymentGroup[],
  stretches: ReturnType<typeof stretchesOf>,
  networks: readonly NetworkConfig[],
) {
  const { fromMilliseconds, lengthMilliseconds, count } = stretches
  const byBucket = Map.groupBy(groups, ({ bucket }) => bucket)
  return {
    totals: sum(groups, networks),
    buckets: Array.from({ length: count }, (_, bucket) => ({
      from: fromMilliseconds + bucket * lengthMilliseconds,
      ...sum(byBucket.get(bucket) ?? [], networks),
    })),
  }
}

function sum(groups: readonly PaymentGroup[], networks: readonly NetworkConfig[]) {
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
    latency: latencyOf(groups),
    volume: volumesOf(groups, networks),
  }
}

function latencyOf(groups: readonly PaymentGroup[]) {
  const bins = new Map<number, number>()
  for (const { latencyBin, payments } of groups) {
    if (latencyBin !== null) bins.set(latencyBin, (bins.get(latencyBin) ?? 0) + payments)
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
