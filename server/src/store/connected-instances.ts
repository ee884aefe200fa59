import pg from 'pg'
import type { Secret } from '../kernel/secret.ts'
import { LISTENER_NAME } from './listen.ts'
import { StoreUnavailable } from './postgres.ts'

const CONNECT_SECONDS = 5

/**
 * How many instances of the service are connected to a database: each listens on one connection of its own. Asked as the address's
 * user, since the service's role may not see what others of that user do. Throws StoreUnavailable where the database does not answer.
 */
export async function countConnectedInstances(url: Secret): Promise<number> {
  const client = new pg.Client({
    connectionString: url.reveal(),
    connectionTimeoutMillis: CONNECT_SECONDS * 1000,
    query_timeout: CONNECT_SECONDS * 1000,
    application_name: 'florin check',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ instances: string }>(
      `select count(*) as instances from pg_stat_activity
        where datname = current_database() and application_name = $1`,
      [LISTENER_NAME],
    )
    return Number(rows[0]?.instances ?? 0)
  } catch (error) {
    throw new StoreUnavailable('the database is unreachable', { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}
