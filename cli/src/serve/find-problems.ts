import { readConfig } from '@florin/server/config.ts'
import type { Config } from '@florin/server/config.ts'
import type { VenueModule } from '@florin/server/chains/solana/venue-module.ts'
import type { Environment } from '@florin/server/data-directory.ts'
import type { NodeReport } from '@florin/server/chains/inspect.ts'
import type { TlsIdentity } from '@florin/server/http/node-server.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Secret, SecretBytes } from '@florin/server/kernel/secret.ts'
import { dataPaths } from '../data-paths.ts'
import { readDatabaseFile } from '../database-file.ts'
import { readNetworksFile } from '../up/networks.ts'
import { CommandFailed } from '../usage-error.ts'
import { findDatabaseProblems } from './database-problems.ts'
import { loadVenues } from './load-venues.ts'
import { readProductionKey } from './key-problems.ts'
import type { ProductionKey } from './key-problems.ts'
import { networkProblems } from './network-problems.ts'
import { findNodeProblems } from './node-problems.ts'
import type { Problem } from './problem.ts'
import { settingProblems } from './setting-problems.ts'
import { readTlsFiles } from './tls-files.ts'

/** Everything that production is started with, once nothing is wrong. */
export interface Production {
  readonly config: Config
  readonly networks: readonly NetworkConfig[]
  /** Venues from outside that the networks may name. */
  readonly modules: readonly VenueModule[]
  readonly databaseUrl: Secret
  readonly keyText: SecretBytes
  readonly tls: TlsIdentity | undefined
  /** When the certificate ends, if that is soon. */
  readonly certificateEndsSoon: string | undefined
  readonly nodes: readonly NodeReport[]
  /** Why the database could not be looked at; undefined when it could. */
  readonly databaseAway: string | undefined
}

export type Findings =
  | { readonly ok: true; readonly production: Production }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/**
 * Looks at everything that can be wrong with a production configuration, and tells all of it. Nothing is changed anywhere; a
 * node or a database that does not answer is no problem of the configuration.
 */
export async function findProblems({
  environment,
  clock,
  log,
}: {
  environment: Environment
  clock: Clock
  log: Log
}): Promise<Findings> {
  const read = readConfig(environment)
  const { config } = read
  const { databaseUrl } = config
  const problems: Problem[] = []
  if (!read.ok) {
    problems.push(
      ...read.problems.map((what) => ({ what: `${what}.`, next: '.env.example explains it.' })),
    )
  }
  problems.push(...settingProblems(config, environment), ...(await embeddedProblems(config)))

  const venues = await loadVenues(config.venues)
  problems.push(...venues.problems)
  const given = await networksOf(config, venues.modules)
  problems.push(...given.problems, ...networkProblems(given.networks))
  const key: ProductionKey = hasKey(environment)
    ? await readProductionKey(config)
    : { problems: [] }
  problems.push(...key.problems)
  const { publicUrl, trustedProxies } = config
  // Behind a proxy the certificate is between the two; what callers see is the proxy's.
  const shownUrl = trustedProxies.none ? publicUrl : null
  const tls =
    config.tls === null
      ? undefined
      : await readTlsFiles(config.tls, { publicUrl: shownUrl, now: clock.nowMilliseconds() })
  problems.push(...(tls?.problems ?? []))

  const lookAtDatabase = async (): ReturnType<typeof findDatabaseProblems> =>
    databaseUrl === null || URL.parse(databaseUrl.reveal()) === null
      ? { problems: [] }
      : await findDatabaseProblems({ url: databaseUrl, key: key.text, log })
  const [nodes, database] = await Promise.all([
    findNodeProblems(given.networks, clock),
    lookAtDatabase(),
  ])
  problems.push(...nodes.problems, ...database.problems)
  if (problems.length > 0) return { ok: false, problems }
  if (databaseUrl === null || key.text === undefined) throw new Error('a problem was not named')
  return {
    ok: true,
    production: {
      config,
      networks: given.networks,
      modules: venues.modules,
      databaseUrl,
      keyText: key.text,
      tls: tls?.identity,
      certificateEndsSoon: tls?.endsSoon,
      nodes: nodes.reports,
      databaseAway: database.away,
    },
  }
}

/** The database of a `florin up` ends with it, and holds its sandbox. */
async function embeddedProblems({
  databaseUrl,
  dataDirectory,
}: Config): Promise<readonly Problem[]> {
  const own = await readDatabaseFile(dataPaths(dataDirectory).database)
  const placeOf = (url: Secret | null | undefined) => {
    const { hostname, port, pathname } = URL.parse(url?.reveal() ?? '') ?? {}
    return `${hostname}:${port}${pathname}`
  }
  if (own === undefined || databaseUrl === null || placeOf(own.url) !== placeOf(databaseUrl)) {
    return []
  }
  return [
    {
      what: `DATABASE_URL is the embedded database of the \`florin up\` on ${dataDirectory}.`,
      next: 'Set it to a PostgreSQL 18 that runs by itself.',
    },
  ]
}

function hasKey(environment: Environment): boolean {
  return ['FLORIN_KEY_FILE', 'FLORIN_KEY'].some((name) => environment[name]?.trim())
}

async function networksOf(
  { networksFile }: Config,
  modules: readonly VenueModule[],
): Promise<{ networks: readonly NetworkConfig[]; problems: readonly Problem[] }> {
  if (networksFile === null) return { networks: [], problems: [] }
  try {
    return { networks: await readNetworksFile(networksFile, modules), problems: [] }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    const next = 'docs/operating/networks.md explains each field.'
    return { networks: [], problems: [{ what: error.message, next }] }
  }
}
