import { endpoints } from '@florin/wire/endpoints.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import manifest from '../package.json' with { type: 'json' }
import { openScrapeDoor } from './http/scrape-door.ts'
import type { ScrapeDoor } from './http/scrape-door.ts'
import type { ClockedDriver } from './drivers.ts'
import type { Clock } from './kernel/clock.ts'
import { limits } from './kernel/limits.ts'
import { openMetrics } from './metrics/metrics.ts'
import type { Metrics, MetricsText } from './metrics/metrics.ts'
import { readFigures } from './read-figures.ts'
import type { Stores } from './open-stores.ts'

/** Where /metrics is served without a key. */
export interface MetricsDoor {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
}

/** The metrics of one service: what its parts report to, before they are put together. */
export function openServiceMetrics(clock: Clock): Metrics {
  const build = { version: manifest.version, node: process.version }
  return openMetrics({ clock, build, operations: Object.values(endpoints), limits })
}

/** The way to read them, once there is something to read. */
export function metricsReader(
  metrics: Metrics,
  {
    ownStore,
    pool,
    drivers,
  }: Pick<Stores, 'ownStore' | 'pool'> & {
    readonly drivers: ReadonlyMap<NetworkId, ClockedDriver>
  },
): () => Promise<MetricsText> {
  return metrics.reader({
    figures: () => readFigures(ownStore, [...drivers.keys()]),
    pool,
    followers: () =>
      [...drivers].map(([network, driver]) => {
        const { following, headHeight, readAtMilliseconds } = driver.state()
        return {
          network,
          isFollowing: following,
          headHeight: headHeight === null ? null : Number(headHeight),
          readAtMilliseconds,
          chainAheadMilliseconds: driver.aheadMilliseconds(),
        }
      }),
  })
}

/** Nobody can be served metrics where that was asked for; the message says what to set. */
export class NoMetricsDoor extends Error {
  override readonly name = 'NoMetricsDoor'
}

/** Opens the door for scrapers when one is asked for. @throws NoMetricsDoor */
export async function openMetricsDoor(
  door: MetricsDoor | null | undefined,
  deps: Omit<Parameters<typeof openScrapeDoor>[0], 'host' | 'port'>,
): Promise<(ScrapeDoor & { readonly url: string }) | undefined> {
  if (door === null || door === undefined) return undefined
  const { host, port } = door
  try {
    const listener = await openScrapeDoor({ host, port, ...deps })
    const name = host.includes(':') ? `[${host}]` : host
    return { ...listener, url: `http://${name}:${listener.port}/metrics` }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new NoMetricsDoor(
      `metrics cannot be served on port ${port} of ${host}: ${reason}. Set FLORIN_METRICS_PORT and FLORIN_METRICS_HOST, or neither.`,
      { cause: error },
    )
  }
}
