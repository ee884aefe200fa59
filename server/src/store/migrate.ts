import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Log } from '../kernel/log.ts'
import type { Secret } from '../kernel/secret.ts'
import { EARLIER_TEXTS } from './earlier-texts.ts'
import { readMigrations } from './migration-files.ts'
import type { Migration } from './migration-files.ts'

/** "florin" in ASCII: held while migrating, so that instances that start at once take turns. */
const ADVISORY_LOCK = 0x666c6f72696e
const CONNECT_SECONDS = 30
const LOCK_SECONDS = 300
/** How long a migration stands before a table that is in use: whoever wants that table meanwhile waits behind it. */
const TABLE_LOCK_MILLISECONDS = 3_000
/** Then it steps aside, lets them through, and tries again; for a minute and a third at most. */
const TABLE_LOCK_TRIES_MAX = 20
const TABLE_LOCK_PAUSE_MILLISECONDS = 1_000
/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03'

export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../migrations', import.meta.url))

/** What a database says of a migration that it has. */
export interface AppliedRow {
  readonly number: number
  readonly name: string
  readonly breaking: boolean
  readonly checksum: string
}

/** A migration that the database refused: nothing of it was kept, and those before it stay. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
  readonly migration: string
  /** PostgreSQL's own sentence, and its code (SQLSTATE). */
  readonly reason: string
  readonly sqlState: string | undefined

  constructor(migration: string, cause: pg.DatabaseError) {
    super(`migration ${migration} was refused: ${cause.message}`, { cause })
    this.migration = migration
    this.reason = cause.message
    this.sqlState = cause.code
  }
}

function refusal(migration: string, error: unknown): unknown {
  return error instanceof pg.DatabaseError ? new MigrationRefused(migration, error) : error
}

const CREATE_TABLE = `
  create table if not exists migrations (
    number integer primary key check (number >= 1),
    name text not null,
    breaking boolean not null,
    checksum text not null check (checksum ~ '^[0-9a-f]{64}$'),
    applied_at timestamptz not null default now()
  )`

/** Refuses a database that this code must not run on, with a sentence for the operator. */
export function checkApplied(
  applied: readonly AppliedRow[],
  known: readonly Migration[],
  log: Log,
): void {
  for (const row of applied) {
    const migration = known[row.number - 1]
    if (migration === undefined) {
      if (row.breaking) {
        throw new Error(
          `the database has migration ${row.name}, which this version of florin does not know ` +
            `and must not run on. Start the newer version.`,
        )
      }
      log.warn({ migration: row.name }, 'the database is newer than this version of florin')
    } else if (
      migration.checksum !== row.checksum &&
      EARLIER_TEXTS.get(migration.name)?.includes(row.checksum) !== true
    ) {
      throw new Error(
        `migration ${migration.name} is not the text that was applied to the database. ` +
          `Applied migrations never change; restore the file and add a new one.`,
      )
    }
  }
}

/** One migration in one transaction. Its row comes first: a second start waits there, then skips. */
async function apply(client: pg.Client, migration: Migration): Promise<boolean> {
  const { number, name, breaking, checksum } = migration
  await client.query('begin')
  try {
    const { rowCount } = await client.query(
      `insert into migrations (number, name, breaking, checksum) values ($1, $2, $3, $4)
       on conflict (number) do nothing`,
      [number, name, breaking, checksum],
    )
    if (rowCount === 1) {
      await client.query(`set local lock_timeout = ${TABLE_LOCK_MILLISECONDS}`)
      await client.query(migration.sql)
    }
    await client.query('commit')
    return rowCount === 1
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw refusal(name, error)
  }
}

/** As often as a table that it needs is in use, so many times at most. */
async function applyOnceFree(
  client: pg.Client,
  migration: Migration,
  { log, triesMax }: { readonly log: Log; readonly triesMax: number },
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await apply(client, migration)
    } catch (error) {
      const isInUse = error instanceof MigrationRefused && error.sqlState === LOCK_NOT_AVAILABLE
      if (!isInUse || tries >= triesMax) throw error
      log.warn(
        { migration: migration.name, count: tries },
        'a migration waits for a table that is in use',
      )
      await delay(TABLE_LOCK_PAUSE_MILLISECONDS)
    }
  }
}

/**
 * Brings a database to the schema that this code knows. Any number of instances may call it at once.
 * @param url of a user that may create tables and roles.
 * @returns the numbers and names of the migrations applied by this call, in order.
 * @throws {MigrationRefused} when the database refuses one, or a table that it needs stays in use.
 * @throws {Error} when the database is newer in a breaking way, or an applied migration was changed.
 */
export async function migrate({
  url,
  log,
  directory = MIGRATIONS_DIRECTORY,
  tableLockTriesMax: triesMax = TABLE_LOCK_TRIES_MAX,
}: {
  url: Secret
  log: Log
  directory?: string
  tableLockTriesMax?: number
}): Promise<{ applied: number[]; names: string[] }> {
  const migrations = await readMigrations(directory)
  const client = new pg.Client({
    connectionString: url.reveal(),
    connectionTimeoutMillis: CONNECT_SECONDS * 1000,
    statement_timeout: LOCK_SECONDS * 1000,
    application_name: 'florin migrate',
  })
  client.on('error', (error) => log.warn({ reason: error }, 'the database went away'))
  await client.connect()
  try {
    // Belongs to the session: a start that is killed here gives it back by dying.
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    await client.query(CREATE_TABLE).catch((error: unknown) => {
      throw refusal('of the table of migrations', error)
    })
    const { rows } = await client.query<AppliedRow>(
      'select number, name, breaking, checksum from migrations order by number',
    )
    checkApplied(rows, migrations, log)
    const there = new Set(rows.map(({ number }) => number))
    const applied: number[] = []
    const names: string[] = []
    for (const migration of migrations) {
      if (there.has(migration.number)) continue
      if (!(await applyOnceFree(client, migration, { log, triesMax }))) continue
      log.info({ migration: migration.name }, 'applied a migration')
      applied.push(migration.number)
      names.push(migration.name)
    }
    return { applied, names }
  } finally {
    await client.end().catch(() => undefined)
  }
}
