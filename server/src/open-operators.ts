import type { NetworkId } from '@florin/wire/network.ts'
import { openAudit } from './audit/audit.ts'
import type { ChainDirectory } from './chains/directory.ts'
import { diagnose } from './doctor/run.ts'
import type { Settlers } from './facilitator/settlers.ts'
import type { RemoteFacilitator } from './facilitator/remote.ts'
import type { Route } from './http/route.ts'
import type { Clock } from './kernel/clock.ts'
import type { NetworkConfig } from './kernel/network-config.ts'
import type { Random } from './kernel/random.ts'
import type { Secret } from './kernel/secret.ts'
import type { OperatorDeps, ShownSetting } from './operators/deps.ts'
import { operatorRoutes } from './operators/routes.ts'
import type { Driver } from './sender/driver.ts'
import type { Store } from './store/postgres.ts'

/** What of the service's options operators are shown. */
interface InForce {
  readonly networks: readonly NetworkConfig[]
  readonly redisUrl?: Secret | null
  readonly edge?: { readonly publicUrl?: string | null; readonly tls?: object }
  readonly allowedOrigins?: readonly string[]
  readonly metricsDoor?: { readonly host: string; readonly port: number } | null
  readonly facilitators?: readonly RemoteFacilitator[]
}

/** The routes of whoever runs the installation. */
export function openOperators({
  options,
  drivers,
  ...deps
}: {
  readonly options: InForce
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly directory: ChainDirectory
  readonly settlers: Pick<Settlers, 'of'>
  readonly drivers: ReadonlyMap<NetworkId, Driver>
  readonly broadcaster: OperatorDeps['broadcaster']
  readonly signerFor: OperatorDeps['signerFor']
  readonly killPoint: OperatorDeps['killPoint']
  baseUrl(): string
}): readonly Route[] {
  const { store, clock, directory } = deps
  return operatorRoutes({
    ...deps,
    networks: options.networks,
    audit: openAudit(deps),
    settings: settingsOf(options),
    driverState: (network) => drivers.get(network)?.state(),
    diagnose: oneAtATime(() => diagnose({ store, clock, chains: [...directory.all.values()] })),
  })
}

/** It reads all books: who asks while it does is told what it finds. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () =>
    (running ??= work().finally(() => {
      running = undefined
    }))
}

/** Named as the environment names them. Of a secret it says whether it is there, and nothing else. */
function settingsOf({
  networks,
  redisUrl,
  edge,
  allowedOrigins = [],
  metricsDoor,
  facilitators = [],
}: InForce): readonly ShownSetting[] {
  const shown = (name: string, value: string | null) => ({ name, value, secret: false })
  const hidden = (name: string, isSet: boolean) => ({
    name,
    value: isSet ? 'set' : 'not set',
    secret: true,
  })
  return [
    shown('FLORIN_PUBLIC_URL', edge?.publicUrl ?? null),
    shown('FLORIN_TLS_CERT', edge?.tls === undefined ? null : 'in use'),
    shown('FLORIN_ALLOWED_ORIGINS', allowedOrigins.join(', ') || null),
    shown('FLORIN_NETWORKS', networks.map(({ network }) => network).join(', ')),
    shown(
      'FLORIN_FACILITATORS',
      facilitators.map(({ url }) => new URL(url).origin).join(', ') || null,
    ),
    shown('FLORIN_METRICS_HOST', metricsDoor?.host ?? null),
    shown('FLORIN_METRICS_PORT', metricsDoor?.port.toString() ?? null),
    hidden('DATABASE_URL', true),
    hidden('REDIS_URL', redisUrl !== undefined && redisUrl !== null),
    hidden('FLORIN_KEY', true),
  ]
}
