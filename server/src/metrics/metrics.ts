import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from '../kernel/clock.ts'
import type { limits } from '../kernel/limits.ts'
import type { Figures, FollowerState, PoolState } from './figures.ts'
import { httpMetrics } from './http-metrics.ts'
import type { AnsweredRequest, Operation } from './http-metrics.ts'
import { nodeMetrics } from './node-metrics.ts'
import type { NodeCallEnd } from './node-metrics.ts'
import { remember } from './remember.ts'
import { stateGauges } from './state-gauges.ts'
import { webhookMetrics } from './webhook-metrics.ts'
import type { WebhookEnd } from './webhook-metrics.ts'

export interface MetricsOptions {
  readonly clock: Clock
  readonly build: { readonly version: string; readonly node: string }
  readonly operations: readonly Operation[]
  readonly limits: Pick<
    typeof limits,
    'metricsLifetimeMilliseconds' | 'metricsReadSeconds' | 'metricsNodeMethodsMax'
  >
}

/** Where the figures of a reading come from. */
export interface MetricsSources {
  /** Throws when the database is away. */
  figures(): Promise<Figures>
  followers(): readonly FollowerState[]
  pool(): PoolState
}

/** Everything that is measured. Every label is from a closed or bounded set, and none can hold an address, a key or a URL. */
export interface Metrics {
  answered(request: AnsweredRequest): void
  nodeCalled(network: string, call: NodeCallEnd): void
  webhookSent(end: WebhookEnd, milliseconds: number): void
  /** Binds the sources that exist only once the service is put together, and gives the way to read everything. */
  reader(sources: MetricsSources): () => Promise<MetricsText>
}

/** Prometheus' text format. Source: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export interface MetricsText {
  readonly contentType: string
  readonly text: string
}

/**
 * Opens the metrics of one service, in a registry of its own. The figures of the process itself (CPU, memory, event loop, garbage
 * collection) are watched until the process ends, so this is for one service per process, or a few in tests.
 */
export function openMetrics({ clock, build, operations, limits }: MetricsOptions): Metrics {
  const registry = new Registry()
  const startedMilliseconds = clock.nowMilliseconds()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_MILLISECONDS })
  new Gauge({
    name: 'florin_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set(build, 1)
  const answered = httpMetrics(registry, operations)
  const nodeCalled = nodeMetrics(registry, limits.metricsNodeMethodsMax)
  const webhookSent = webhookMetrics(registry)
  const setGauges = stateGauges(registry)

  return {
    answered,
    nodeCalled,
    webhookSent,
    reader: ({ figures: read, followers, pool }) => {
      const knowledge = remember({
        clock,
        lifetimeMilliseconds: limits.metricsLifetimeMilliseconds,
        seconds: limits.metricsReadSeconds,
        read: async () => {
          const figures = await read()
          return { figures, heads: headsOf(followers()) }
        },
      })
      return async () => {
        const known = await knowledge()
        setGauges({
          nowMilliseconds: clock.nowMilliseconds(),
          startedMilliseconds,
          known,
          followers: followers(),
          pool: pool(),
        })
        return { contentType: registry.contentType, text: await registry.metrics() }
      }
    },
  }
}

function headsOf(followers: readonly FollowerState[]): ReadonlyMap<string, number> {
  return new Map(
    followers.flatMap(({ network, headHeight }) =>
      headHeight === null ? [] : [[network, headHeight]],
    ),
  )
}

/** How often the event loop is asked whether it is late. */
const LOOP_MILLISECONDS = 20
