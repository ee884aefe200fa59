import { availableParallelism } from 'node:os'
import pg from 'pg'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Secret } from '../kernel/secret.ts'
import { connectionsAtWork } from './connections-at-work.ts'
import { exactTypes } from './exact-types.ts'
import { plansAge } from './plans-age.ts'
import { openWorkingSlots } from './working-slots.ts'

/** Inside one database transaction. Statements are named so that PostgreSQL plans each once per connection. */
export interface Tx {
  query<Row extends object>(name: string, text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Whose rows a transaction may touch: one account, or `service` for work that belongs to no caller (followers, relay). */
export type Scope = AccountId | 'service'

export interface Store {
  /** Runs work in one READ COMMITTED transaction with app.account_id set; any throw rolls back. */
  inTransaction<T>(scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * One statement outside an explicit transaction, in the scope `service`: it sees every account, so its own words must say
   * whose rows it means (checks/walls.ts lists who may).
   * A write does not belong here, and the database refuses it: when its answer is lost, StoreUnavailable does not say whether it happened.
   */
  query<Row extends object>(name: string, text: string, values?: readonly unknown[]): Promise<Row[]>
  /** One statement that writes, in a transaction of its own and in the scope `service`: one round trip instead of two. Gives what it returns. */
  write<Row extends object>(name: string, text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Whether the database answers now. */
  reachable(): Promise<boolean>
  close(): Promise<void>
}

/** How busy the connections of a store are. */
export interface PoolFigures {
  readonly total: number
  readonly idle: number
  /** Callers that wait for a connection. */
  readonly waiting: number
}

/** A store over a pool of connections of its own. */
export interface PooledStore extends Store {
  pool(): PoolFigures
}

/** The database could not be reached or gave up; nothing was committed unless CommitUnknown says otherwise. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** COMMIT was sent and no answer came: the transaction may have happened. Look before repeating. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
}

/** The answer is about the server, not about the statement: classes 08, 53, 57P, 58, XX. */
const SERVER_TROUBLE = /^(08|53|57P|58|XX)/
/** The server is there, and lacks a disk, memory or a connection, or its files fail it: whoever looks for it on the network looks at the wrong place. */
const OWN_TROUBLE = /^(53|58|XX)/
/** PostgreSQL gave this transaction up whole; repeating it is safe: deadlock, serialization, timeouts. */
const GAVE_UP = /^(40001|40P01|55P03|57014|25P0[34])$/
/** A prepared statement met a table that a migration changed; a new connection plans it anew. */
const STALE_PLAN = '0A000'
/** How much later than the server we give up on a statement, when it does not even do that. */
const SILENCE_SECONDS = 5
/** How long whoever asks waits for those before to end, when as many are at work as the cores can: many times what a transaction takes. */
const PATIENCE_MILLISECONDS = 100
/**
 * What every connection of the service is opened with. A transaction sets its own scope; what runs outside of one is the service's. What is
 * asked has an index: a scan that looks cheap while a table has one page would be kept for when it has a thousand. Who wants whole tables, as the
 * doctor does, says so in its transaction. And the service asks the same again and again, so each statement is planned once for all values and not
 * anew for each; lists with conditions that may be left out, as accounts have them and the catalogue, are planned as PostgreSQL sees fit. None is
 * compiled, which PostgreSQL does anew each time it executes one that looks dear, and what is planned for all values does: it takes longer than all of them.
 */
export const SERVICE_SETTINGS =
  '-c app.account_id=service -c enable_seqscan=off -c plan_cache_mode=force_generic_plan -c jit=off'
const SCOPE = /^(service|acct_[1-9A-HJ-NP-Za-km-z]{22})$/

/** The SQLSTATE of a PostgreSQL error, if it is one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The name of the constraint that a PostgreSQL error broke, if any. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined
}

/** A mistake of ours that the driver found before it sent anything. */
function isMisuse(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    (error instanceof Error && error.message.startsWith('Prepared statements must be unique'))
  )
}

/** Whether PostgreSQL itself answered about the statement, so that the connection is still good. */
function isAnswer(error: unknown): boolean {
  const state = sqlState(error)
  return state !== undefined && !SERVER_TROUBLE.test(state) && state !== STALE_PLAN
}

/** Whether the database was there, and ended what took too long or stood in another's way. */
export function gaveUp({ cause }: StoreUnavailable): boolean {
  return GAVE_UP.test(sqlState(cause) ?? '')
}

function translate(error: unknown): unknown {
  if (isMisuse(error)) return error
  const state = sqlState(error)
  if (state !== undefined && OWN_TROUBLE.test(state)) {
    return new StoreUnavailable('the database is in trouble', { cause: error })
  }
  if (state === undefined || SERVER_TROUBLE.test(state)) {
    return new StoreUnavailable('the database is unreachable', { cause: error })
  }
  return GAVE_UP.test(state)
    ? new StoreUnavailable('the database gave up', { cause: error })
    : error
}

function openPool(
  url: string,
  log: Log,
  role: string | null,
  statementSeconds: number,
  connectionsMax: number,
): pg.Pool {
  // What the address says wins over our settings in this driver, and the role must not be lost.
  if (/[?&]options=/.test(url)) throw new Error('the database address must not carry "options"')
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: limits.databaseLockSeconds * 1000,
    statement_timeout: statementSeconds * 1000,
    query_timeout: (statementSeconds + SILENCE_SECONDS) * 1000,
    lock_timeout: limits.databaseLockSeconds * 1000,
    idle_in_transaction_session_timeout: limits.databaseIdleSeconds * 1000,
    keepAlive: true,
    application_name: 'florin',
    types: exactTypes(),
    // Statements are sent before the one before them is answered where nobody waits for that: each wait is a wake-up of both processes.
    pipeline: true,
    options:
      SERVICE_SETTINGS +
      (role === null ? '' : ` -c role=${role} -c default_transaction_read_only=on`),
  })
  pool.on('error', (error) => {
    // What is given up has not ended yet when the pool calls itself ended: a server that stops next says so to nobody.
    if (pool.ending) return
    log.warn({ reason: error }, 'an idle database connection was lost')
  })
  // A client in use that is lost between two statements says so here, and its next statement fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** One connection for a while: dropped for good when it failed, else given back to the pool. */
interface Session {
  send<Row extends object>(statement: pg.QueryConfig | string): Promise<pg.QueryResult<Row>>
  readonly broken: boolean
  release(): void
}

function openSession(client: pg.PoolClient, released: () => void): Session {
  let broken = false
  return {
    send: async <Row extends object>(statement: pg.QueryConfig | string) => {
      try {
        return await client.query<Row>(statement)
      } catch (error) {
        if (!isAnswer(error)) broken = true
        throw error
      }
    },
    get broken() {
      return broken
    },
    release: () => {
      client.release(broken)
      released()
    },
  }
}

/** What is set is local to the transaction. The service's scope is there already. */
function beginText(scope: Scope): string {
  return scope === 'service'
    ? 'begin read write'
    : `begin read write; set local app.account_id = '${scope}'; set local plan_cache_mode = auto`
}

async function commit(session: Session): Promise<void> {
  let outcome: pg.QueryResult
  try {
    outcome = await session.send('commit')
  } catch (error) {
    if (isAnswer(error)) throw translate(error)
    throw new CommitUnknown('no answer to commit', { cause: error })
  }
  // PostgreSQL answers ROLLBACK, and no error, when a failed statement was caught and passed over.
  if (outcome.command !== 'COMMIT') {
    throw new Error('nothing was committed: a statement of the transaction had failed')
  }
}

/**
 * Opens a pool as the service's own role. Connections are made when first needed, and anew after
 * PostgreSQL went away. Nothing is retried here: a caller that repeats knows what it repeats.
 * @throws {StoreUnavailable} from its methods when nothing was committed and asking again is safe
 * @throws {CommitUnknown} when the answer to a commit was lost
 */
export function openStore({
  url,
  log,
  role = 'florin_service',
  statementSeconds = limits.databaseStatementSeconds,
  monotonicMilliseconds = () => performance.now(),
  connectionsMax = limits.databaseConnectionsMax,
  atWork = connectionsAtWork(url.reveal(), availableParallelism()),
}: {
  url: Secret
  log: Log
  role?: string | null
  /** How long one statement may take. */
  statementSeconds?: number
  monotonicMilliseconds?: () => number
  /** How many there are at most; one more waits for limits.databaseLockSeconds at most. */
  connectionsMax?: number
  /** How many connections work at once, as far as nobody has to wait long. */
  atWork?: number
}): PooledStore {
  const pool = openPool(url.reveal(), log, role, statementSeconds, connectionsMax)
  const slots = openWorkingSlots(atWork, PATIENCE_MILLISECONDS)
  const arePlansOld = new WeakMap<pg.PoolClient, ReturnType<typeof plansAge>>()
  pool.on('connect', (client) => {
    arePlansOld.set(client, plansAge(monotonicMilliseconds()))
  })
  let closing: Promise<void> | undefined

  const connect = async (): Promise<Session> => {
    await slots.take()
    try {
      const client = await pool.connect()
      const session = openSession(client, slots.give)
      if (arePlansOld.get(client)?.(monotonicMilliseconds()) === true) {
        // Sent ahead of what this is opened for. Should the connection be lost, that fails as well, and says so.
        session.send('discard plans').catch(() => undefined)
      }
      return session
    } catch (error) {
      slots.give()
      throw translate(error)
    }
  }

  const rowsOf = async <Row extends object>(
    session: Session,
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => {
    try {
      return (await session.send<Row>({ name, text, values: [...values] })).rows
    } catch (error) {
      throw translate(error)
    }
  }

  return {
    query: async (name, text, values) => {
      const session = await connect()
      try {
        return await rowsOf(session, name, text, values)
      } finally {
        session.release()
      }
    },
    write: async <Row extends object>(
      name: string,
      text: string,
      values?: readonly unknown[],
    ): Promise<Row[]> => {
      const session = await connect()
      try {
        const begun = session.send(beginText('service'))
        const written = rowsOf<Row>(session, name, text, values)
        const sent = [begun, written, commit(session)]
        // All of them, so that nothing of it is under way on a connection that is given back. The first that failed says why.
        const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
        if (failed?.status !== 'rejected') return await written
        if (session.broken)
          throw new CommitUnknown('no answer to a write', { cause: failed.reason })
        throw translate(failed.reason)
      } finally {
        session.release()
      }
    },
    inTransaction: async (scope, work) => {
      if (!SCOPE.test(scope)) throw new TypeError('not a scope')
      const session = await connect()
      let over = false
      // Its text was checked above. The first statement is sent right behind, and its answer counts with this one alone: should this be
      // refused, a statement that is in no transaction cannot write.
      const begun = session.send(beginText(scope)).catch((error: unknown) => {
        throw translate(error)
      })
      // Told by the first statement, or before the commit.
      begun.catch(() => undefined)
      const tx: Tx = {
        query: async <Row extends object>(
          name: string,
          text: string,
          values?: readonly unknown[],
        ) => {
          if (over) throw new TypeError('this transaction is over')
          const [, rows] = await Promise.all([begun, rowsOf<Row>(session, name, text, values)])
          return rows
        },
      }
      try {
        const result = await work(tx)
        over = true
        await begun
        await commit(session)
        return result
      } catch (error) {
        over = true
        // A lost connection rolls back by itself; asking it to would only wait.
        if (!session.broken) await session.send('rollback').catch(() => undefined)
        throw error
      } finally {
        session.release()
      }
    },
    reachable: () =>
      pool.query('select 1').then(
        () => true,
        () => false,
      ),
    close: () => (closing ??= pool.end()),
    pool: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: slots.waiting() + pool.waitingCount,
    }),
  }
}
