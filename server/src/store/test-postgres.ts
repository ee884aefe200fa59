import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { endLeftovers } from './embedded/end-leftovers.ts'
import { startPostgres } from './embedded/start-postgres.ts'
import type { EmbeddedPostgres } from './embedded/start-postgres.ts'
import { migrate } from './migrate.ts'

const RUNS = join(tmpdir(), `florin-test-runs-${process.getuid?.() ?? 0}`)

/** The environment variable that tells a test where to ask for a database. */
export const TEST_POSTGRES = 'FLORIN_TEST_POSTGRES'

/** The migrated database that every suite gets a clone of. */
export const TEMPLATE = 'florin_template'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Ends the PostgreSQL of test runs that were killed, and removes what they left. */
async function sweep(): Promise<void> {
  const log = openLog('silent')
  for (const name of await readdir(RUNS)) {
    const run = join(RUNS, name)
    const owner = Number(await readFile(join(run, 'pid'), 'utf8').catch(() => name.split('-')[0]))
    if (Number.isInteger(owner) && isAlive(owner)) continue
    const cluster = join(run, 'postgres', 'cluster')
    await endLeftovers({ cluster, supervisorPid: undefined, clock: systemClock, log })
    await rm(run, { recursive: true, force: true })
  }
}

async function startWithTemplate(directory: string): Promise<EmbeddedPostgres> {
  const log = openLog('silent')
  const surroundings = { log, clock: systemClock, random: systemRandom }
  const postgres = await startPostgres({ directory, ...surroundings, durable: false })
  const owner = new pg.Client({ connectionString: postgres.ownerUrl.reveal() })
  await owner.connect()
  await owner.query(`create database ${TEMPLATE}`)
  const url = new URL(postgres.ownerUrl.reveal())
  url.pathname = `/${TEMPLATE}`
  await migrate({ url: new Secret(url.href), log })
  await owner.query(`alter database ${TEMPLATE} with is_template true allow_connections false`)
  await owner.end()
  return postgres
}

/**
 * Once per vitest run: a socket that gives the address of one PostgreSQL for all tests of the run.
 * It is started by the first question, so that a run without a database pays nothing.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await mkdir(RUNS, { recursive: true, mode: 0o711 })
  await sweep()
  const run = await mkdtemp(join(RUNS, `${process.pid}-`))
  await chmod(run, 0o711)
  await writeFile(join(run, 'pid'), String(process.pid))
  let postgres: Promise<EmbeddedPostgres> | undefined
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    postgres ??= startWithTemplate(join(run, 'postgres'))
    postgres.then(
      ({ ownerUrl }) => socket.end(JSON.stringify({ ownerUrl: ownerUrl.reveal() })),
      (error: unknown) => socket.end(JSON.stringify({ failure: String(error) })),
    )
  })
  const path = join(run, 'socket')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  process.env[TEST_POSTGRES] = path
  return async () => {
    await new Promise((resolve) => server.close(resolve))
    await (await postgres?.catch(() => undefined))?.stop()
    await rm(run, { recursive: true, force: true })
  }
}
