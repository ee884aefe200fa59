import { openLog } from '@florin/server/kernel/log.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { openStore } from '@florin/server/store/postgres.ts'
import type { Store } from '@florin/server/store/postgres.ts'

/** The real PostgreSQL of a series of worlds, one after the other. */
export interface SimulationDatabase {
  /** As the service's own role. */
  readonly store: Store
  /** For the world itself: sets the database's time, looks at what is committed. */
  readonly owner: Store
  /** Empties every table, so that a world begins with nothing and the same ids. */
  reset(): Promise<void>
  /** What `now()` says in statements of the service from here on. */
  setTime(milliseconds: number): Promise<void>
  /** How many statements wait for a lock of another transaction. */
  waitingForLocks(): Promise<number>
  close(): Promise<void>
}

/** What migrations wrote into tables stays there. */
const KEPT: ReadonlySet<string> = new Set(['migrations', 'plans'])

/**
 * Prepares a migrated database. Names are looked up in our schema before PostgreSQL's own, which is how the service's `now()` becomes
 * the world's time. A commit does not wait for the disk: no world ends PostgreSQL itself.
 */
export async function openSimulationDatabase(url: string): Promise<SimulationDatabase> {
  const log = openLog('silent')
  const owner = openStore({ url: new Secret(url), log, role: null })
  const name = new URL(url).pathname.slice(1)
  for (const [step, statement] of [
    `create schema if not exists world`,
    `create table if not exists world.time (now timestamptz not null)`,
    `create or replace function world.now() returns timestamptz language sql stable
       as 'select now from world.time'`,
    `grant usage on schema world to florin_service`,
    `grant select on world.time to florin_service`,
    `alter database ${name} set search_path = world, public, pg_catalog`,
    `alter database ${name} set synchronous_commit = off`,
  ].entries()) {
    await owner.query(`prepare_${step}`, statement)
  }
  const tables = await owner.query<{ name: string }>(
    'tables',
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  )
  const emptied = tables.map(({ name }) => name).filter((name) => !KEPT.has(name))
  const store = openStore({ url: new Secret(url), log })
  return {
    store,
    owner,
    reset: () =>
      owner.inTransaction('service', async (tx) => {
        // The books refuse to be emptied by whoever listens to their triggers.
        await tx.query('reset_role', 'set local session_replication_role = replica')
        await tx.query('reset', `truncate ${emptied.join(', ')}, world.time restart identity`)
        await tx.query('reset_time', `insert into world.time values ('epoch')`)
      }),
    setTime: async (milliseconds) => {
      await owner.query('set_time', `update world.time set now = to_timestamp($1 / 1000.0)`, [
        milliseconds,
      ])
    },
    waitingForLocks: async () => {
      const rows = await owner.query<{ count: string }>(
        'waiting_for_locks',
        `select count(distinct l.pid) as count from pg_locks l join pg_stat_activity a using (pid)
         where not l.granted and a.datname = current_database()`,
      )
      return Number(rows[0]?.count)
    },
    close: async () => {
      await store.close()
      await owner.close()
    },
  }
}
