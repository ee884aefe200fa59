import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { until } from '../kernel/until.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { openStore } from './postgres.ts'
import type { Store } from './postgres.ts'
import { TEMPLATE, testPostgresSocket } from './test-postgres.ts'

const CLOSE_SECONDS = 60

/** A migrated, empty database of a suite's own. */
export interface TestDatabase {
  /** For openStore, which steps down to the service's role. */
  readonly url: Secret
  /** The superuser, for what the service may not do. */
  readonly ownerUrl: Secret
  /** Opened as the service's role; closed by `close`. */
  readonly store: Store
  /** Removes the database. Fails when the suite left a connection or a transaction open. */
  close(patience?: { seconds: number }): Promise<void>
}

async function askForPostgres(): Promise<Secret> {
  const answer: unknown = JSON.parse(await text(connect(testPostgresSocket())))
  if (typeof answer === 'object' && answer !== null) {
    if ('ownerUrl' in answer) return new Secret(String(answer.ownerUrl))
    if ('failure' in answer) throw new Error(String(answer.failure))
  }
  throw new Error('the test PostgreSQL gave no address')
}

async function asOwner<T>(url: Secret, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url.reveal() })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Opens a clone of the migrated template database on the run's PostgreSQL. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const server = await askForPostgres()
  const name = `test_${Buffer.from(systemRandom.bytes(8)).toString('hex')}`
  await asOwner(server, (client) =>
    client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`),
  )
  const address = new URL(server.reveal())
  address.pathname = `/${name}`
  const url = new Secret(address.href)
  const store = openStore({ url, log: openLog('silent') })

  const close = async ({ seconds } = { seconds: CLOSE_SECONDS }) => {
    let closed = false
    const closing = store.close().then(() => {
      closed = true
    })
    await asOwner(server, async (client) => {
      try {
        await until(
          `every connection to ${name} is closed`,
          async () => {
            const { rows } = await client.query<{ open: string }>(
              'select count(*) as open from pg_stat_activity where datname = $1',
              [name],
            )
            return closed && rows[0]?.open === '0'
          },
          { seconds },
        )
        await closing
      } finally {
        await client.query(`drop database if exists ${name} with (force)`)
      }
    })
  }
  return { url, ownerUrl: url, store, close }
}
