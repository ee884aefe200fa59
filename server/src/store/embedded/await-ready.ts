import pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import type { Secret } from '../../kernel/secret.ts'
import { embeddedLimits } from './embedded-limits.ts'
import { OWNER } from './cluster.ts'

const WRONG_PASSWORD = '28P01'
const ALREADY_THERE = '42P04'

async function tryOnce(url: Secret): Promise<void> {
  const client = new pg.Client({
    connectionString: url.reveal(),
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [OWNER])
    if (rowCount === 0) await client.query(`create database ${OWNER}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === ALREADY_THERE)) throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Waits until PostgreSQL answers (after recovery, if any) and our database is there. */
export async function awaitReady(url: Secret, clock: Clock, gone: AbortSignal): Promise<void> {
  const deadline = clock.nowMilliseconds() + embeddedLimits.readySeconds * 1000
  for (;;) {
    try {
      return await tryOnce(url)
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === WRONG_PASSWORD) {
        throw new Error('the database does not take the password in its data directory', {
          cause: error,
        })
      }
      if (gone.aborted) throw new Error('PostgreSQL ended while it was starting', { cause: error })
      if (clock.nowMilliseconds() > deadline) {
        const seconds = embeddedLimits.readySeconds
        throw new Error(`PostgreSQL did not answer within ${seconds} s`, { cause: error })
      }
    }
    await clock.sleep(embeddedLimits.readyPauseMilliseconds, gone)
  }
}
