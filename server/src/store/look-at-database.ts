import pg from 'pg'
import type { Log } from '../kernel/log.ts'
import type { Secret } from '../kernel/secret.ts'
import { checkApplied, MIGRATIONS_DIRECTORY } from './migrate.ts'
import type { AppliedRow } from './migrate.ts'
import { readMigrations } from './migration-files.ts'

/** What a database is like before a service is opened on it. Nothing in it is changed. */
export type DatabaseFacts =
  /** It does not answer, or is still starting: nothing is known. */
  | { readonly kind: 'away'; readonly reason: string }
  /** It answers and lets nobody in. */
  | { readonly kind: 'refuses'; readonly reason: string }
  | {
      readonly kind: 'open'
      readonly version: string
      /** Whether it is older than what migrations and statements are written for. */
      readonly tooOld: boolean
      /** Names of the migrations it does not have; all of them when it is empty. */
      readonly missing: readonly string[]
      /** Why this code must not run on it, when it must not: it is newer, or a migration was changed. */
      readonly unusable: string | undefined
      /** Whether the address's user may act as the service. Unknown, and true, before the first migration. */
      readonly mayServe: boolean
      /** Settings that lose what was committed. */
      readonly careless: readonly string[]
    }

const CONNECT_SECONDS = 5
const ROLE = 'florin_service'
/** The version that everything here is run and tested on; 15 refuses the first migration. */
export const POSTGRESQL_MAJOR_MIN = 18
/** Classes and codes with which PostgreSQL turns somebody away for good: authorisation, no such database, no rights. */
const TURNED_AWAY = /^(28|3D000|42501)/
const CARELESS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }

/** Looks at the database of an address. Throws only for what is a bug. */
export async function lookAtDatabase({
  url,
  log,
  directory = MIGRATIONS_DIRECTORY,
}: {
  url: Secret
  log: Log
  directory?: string
}): Promise<DatabaseFacts> {
  const known = await readMigrations(directory)
  const client = new pg.Client({
    connectionString: url.reveal(),
    connectionTimeoutMillis: CONNECT_SECONDS * 1000,
    query_timeout: CONNECT_SECONDS * 1000,
    application_name: 'florin check',
  })
  client.on('error', (error) => log.debug({ reason: error.message }, 'the database went away'))
  try {
    await client.connect()
    const { rows: settings } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [['server_version', ...Object.keys(CARELESS)]],
    )
    const settingOf = new Map(settings.map(({ name, setting }) => [name, setting]))
    const version = settingOf.get('server_version') ?? 'unknown'
    const applied = await appliedOf(client)
    return {
      kind: 'open',
      version,
      tooOld: Number.parseInt(version, 10) < POSTGRESQL_MAJOR_MIN,
      missing: known
        .filter(({ number }) => !applied.some((row) => row.number === number))
        .map(({ name }) => name),
      unusable: reasonOf(() => checkApplied(applied, known, log)),
      mayServe: await mayServe(client),
      careless: Object.entries(CARELESS)
        .filter(([name, bad]) => settingOf.get(name) === bad)
        .map(([name, bad]) => `${name} = ${bad}`),
    }
  } catch (error) {
    if (error instanceof pg.DatabaseError && TURNED_AWAY.test(error.code ?? '')) {
      return { kind: 'refuses', reason: error.message }
    }
    const asked = mismatchOf(error)
    return asked === undefined
      ? { kind: 'away', reason: codeOf(error) }
      : { kind: 'refuses', reason: asked }
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function appliedOf(client: pg.Client): Promise<readonly AppliedRow[]> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `select to_regclass('migrations') is not null as there`,
  )
  if (found[0]?.there !== true) return []
  const { rows } = await client.query<AppliedRow>(
    'select number, name, breaking, checksum from migrations order by number',
  )
  return rows
}

async function mayServe(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce(bool_and(pg_has_role(current_user, oid, 'set')), true) as may
       from pg_roles where rolname = $1`,
    [ROLE],
  )
  return rows[0]?.may === true
}

function reasonOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What the driver itself gives up for, without a code: the server answered, and asks for what the address does not say. */
function mismatchOf(error: unknown): string | undefined {
  const text = error instanceof Error ? error.message : ''
  if (/password must be/.test(text)) return 'it asks for a password, and the address holds none'
  return /does not support SSL/.test(text)
    ? 'the address asks for TLS, which it does not speak'
    : undefined
}

/** The address may be in an error's text; its code is enough. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'no answer in time'
}
