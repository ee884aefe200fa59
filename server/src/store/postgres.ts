import pg from 'pg'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Secret } from '../kernel/secret.ts'

// numeric and int8 leave PostgreSQL as text and are parsed by the store that knows them; never through a float.

/** Inside one database transaction. Statements are named so that PostgreSQL plans each once per connection. */
export interface Tx {
  query<Row extends object>(name: string, text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Whose rows a transaction may touch: one account, or `service` for work that belongs to no caller (followers, relay). */
export type Scope = AccountId | 'service'

export interface Store {
  /** Runs work in one READ COMMITTED transaction with app.account_id set; any throw rolls back. */
  inTransaction<T>(scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T>
  /** One statement outside an explicit transaction, for reads that need no account setting of their own. */
  query<Row extends object>(name: string, text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** The database could not be reached or gave up; nothing was committed unless CommitUnknown says otherwise. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** COMMIT was sent and no answer came: the transaction may have happened. Look before repeating. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
}

const CONNECTION_LOST = /^(08|57P0|53)/
const SCOPE = /^(service|acct_[1-9A-HJ-NP-Za-km-z]{22})$/

/** The SQLSTATE of a PostgreSQL error, if it is one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The name of the constraint that a PostgreSQL error broke, if any. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined
}

function unavailable(error: unknown): Error {
  const state = sqlState(error)
  if (state !== undefined && !CONNECTION_LOST.test(state)) return error as pg.DatabaseError
  return new StoreUnavailable('the database is unreachable', { cause: error })
}

/** Opens a pool as the service's own role. Connections are made when first needed. */
export function openStore({
  url,
  log,
  role = 'florin_service',
}: {
  url: Secret
  log: Log
  role?: string | null
}): Store {
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    max: limits.databaseConnectionsMax,
    connectionTimeoutMillis: limits.databaseLockSeconds * 1000,
    statement_timeout: limits.databaseStatementSeconds * 1000,
    lock_timeout: limits.databaseLockSeconds * 1000,
    idle_in_transaction_session_timeout: limits.databaseStatementSeconds * 1000,
    application_name: 'florin',
    ...(role === null ? {} : { options: `-c role=${role}` }),
  })
  pool.on('error', (error) =>
    log.warn({ reason: error.message }, 'an idle database connection was lost'),
  )

  const run = async <Row extends object>(
    client: pg.Pool | pg.PoolClient,
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ) => {
    try {
      const result = await client.query<Row>({ name, text, values: [...values] })
      return result.rows
    } catch (error) {
      throw unavailable(error)
    }
  }

  return {
    query: (name, text, values) => run(pool, name, text, values),
    inTransaction: async (scope, work) => {
      if (!SCOPE.test(scope)) throw new TypeError('not a scope')
      let client: pg.PoolClient
      try {
        client = await pool.connect()
      } catch (error) {
        throw unavailable(error)
      }
      let broken: Error | undefined
      try {
        // One round trip: the setting is local to the transaction and its text was checked above.
        await client.query(`begin; set local app.account_id = '${scope}'`)
        const result = await work({
          query: (name, text, values) => run(client, name, text, values),
        })
        try {
          await client.query('commit')
        } catch (error) {
          if (sqlState(error) !== undefined && !CONNECTION_LOST.test(sqlState(error) ?? ''))
            throw error
          broken = new CommitUnknown('no answer to commit', { cause: error })
          throw broken
        }
        return result
      } catch (error) {
        if (broken === undefined) {
          await client.query('rollback').catch((rollbackError: unknown) => {
            broken = rollbackError instanceof Error ? rollbackError : new Error('rollback failed')
          })
        }
        throw error instanceof CommitUnknown || error instanceof StoreUnavailable ? error : error
      } finally {
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
}
