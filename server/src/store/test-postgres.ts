import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { startPostgres } from './embedded/start-postgres.ts'
import type { EmbeddedPostgres } from './embedded/start-postgres.ts'
import { migrate } from './migrate.ts'
import { closeTestRun, openTestRun, testRunDirectories } from './test-runs.ts'

/** Where a test asks for the address of the run's PostgreSQL. */
export function testPostgresSocket(): string {
  return join(testRunDirectories().at(-1) ?? '', 'socket')
}

/** The migrated database that every suite gets a clone of. */
export const TEMPLATE = 'florin_template'

const log = openLog('silent')

async function startIn(directories: readonly string[]): Promise<EmbeddedPostgres> {
  const [first = '', ...others] = directories
  const directory = join(first, 'postgres')
  const surroundings = { log, clock: systemClock, random: systemRandom, durable: false }
  try {
    return await startPostgres({ directory, ...surroundings })
  } catch (error) {
    if (others.length === 0) throw error
    return await startIn(others)
  }
}

async function makeTemplate(ownerUrl: Secret): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl.reveal() })
  await owner.connect()
  try {
    await owner.query(`create database ${TEMPLATE}`)
    const url = new URL(ownerUrl.reveal())
    url.pathname = `/${TEMPLATE}`
    await migrate({ url: new Secret(url.href), log })
    await owner.query(`alter database ${TEMPLATE} with is_template true allow_connections false`)
  } finally {
    await owner.end()
  }
}

/**
 * Once per vitest run: a socket that gives the address of one PostgreSQL for all tests of the run.
 * It is started by the first question, so that a run without a database pays nothing.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await openTestRun()
  let running: EmbeddedPostgres | undefined
  let ready: Promise<string> | undefined
  const start = async () => {
    running = await startIn(testRunDirectories())
    await makeTemplate(running.ownerUrl)
    return running.ownerUrl.reveal()
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    ready ??= start()
    ready.then(
      (ownerUrl) => socket.end(JSON.stringify({ ownerUrl })),
      (error: unknown) => socket.end(JSON.stringify({ failure: String(error) })),
    )
  })
  await new Promise<void>((resolve) => server.listen(testPostgresSocket(), resolve))
  return async () => {
    await new Promise((resolve) => server.close(resolve))
    await ready?.catch(() => undefined)
    await running?.stop()
    await closeTestRun()
  }
}
