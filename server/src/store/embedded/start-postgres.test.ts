import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secret } from '../../kernel/secret.ts'
import { newTestDirectory, removeTestDirectory } from '../test-runs.ts'
import { until } from '../../kernel/until.ts'
import { findClusterProcesses } from './cluster-processes.ts'
import { listProcesses } from './processes.ts'
import { unprivilegedUser } from './run-as.ts'
import { startPostgres } from './start-postgres.ts'
import type { EmbeddedPostgres } from './start-postgres.ts'
import { ask, forTests, readyElsewhere, startElsewhere } from './test-starts.ts'

// One data directory that lives through all of this, in order: what it holds must stay.
let directory: string
let port: number
const start = () => startPostgres({ directory, ...forTests })
const KEPT = 'select word from kept'

beforeAll(async () => {
  directory = await newTestDirectory('memory')
  const first = await start()
  port = first.port
  await ask(first.ownerUrl, "create table kept as select 'word' as word")
  await first.stop()
})
afterAll(() => removeTestDirectory(directory))

/** Starts again and sees the kept row; then gives the running database to the work. */
async function startAndFind(work: (postgres: EmbeddedPostgres) => Promise<void> = async () => {}) {
  const postgres = await start()
  try {
    expect(await ask(postgres.ownerUrl, KEPT)).toEqual([{ word: 'word' }])
    await work(postgres)
  } finally {
    await postgres.stop()
  }
}

test('a second start keeps the data, the port and the password, readable for us alone', async () => {
  const password = await readFile(join(directory, 'password'), 'utf8')
  await startAndFind(async (postgres) => {
    expect(postgres.port).toBe(port)
    expect(postgres.ownerUrl.reveal()).toContain(password.trim())
  })
  const { mode } = await stat(join(directory, 'password'))
  expect(mode & 0o777).toBe(0o600)
  expect(password.trim()).toHaveLength(32)
})

test('only the password opens it, and only over the loopback and its own socket', async () => {
  await startAndFind(async ({ ownerUrl, socketUrl }) => {
    for (const url of [ownerUrl, socketUrl]) {
      const wrong = new URL(url.reveal())
      wrong.password = 'postgres'
      await expect(ask(new Secret(wrong.href), KEPT)).rejects.toThrow(
        'password authentication failed',
      )
    }
    expect(await ask(socketUrl, `${KEPT} where inet_client_addr() is null`)).toHaveLength(1)
    const rows = await ask(
      ownerUrl,
      `select current_setting('listen_addresses') as listens,
         current_setting('unix_socket_directories') as sockets,
         left(rolpassword, 13) as stored from pg_authid where rolname = 'florin'`,
    )
    const sockets = decodeURIComponent(new URL(socketUrl.reveal()).hostname)
    expect(rows).toEqual([{ listens: '127.0.0.1', sockets, stored: 'SCRAM-SHA-256' }])
    expect((await stat(sockets)).mode & 0o077).toBe(0)
    const outside = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    if (outside === undefined) return
    const socket = connect(port, outside.address)
    const [error] = (await Promise.race([once(socket, 'error'), once(socket, 'connect')])) as [
      Error | undefined,
    ]
    socket.destroy()
    expect(String(error)).toContain('ECONNREFUSED')
  })
})

test('a database that is durable says so', async () => {
  const postgres = await startPostgres({ directory, ...forTests, durable: true })
  const settings = await ask(
    postgres.ownerUrl,
    `select string_agg(name || '=' || setting, ' ' order by name) as all from pg_settings
     where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums')`,
  )
  await postgres.stop()
  const all = 'data_checksums=on fsync=on full_page_writes=on synchronous_commit=on'
  expect(settings).toEqual([{ all }])
})

test('a taken port is left alone and another one is used', async () => {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const postgres = await start()
  expect(postgres.port).not.toBe(port)
  port = postgres.port
  await postgres.stop()
  server.close()
})

test('sockets that a killed server left are taken away, under whatever port', async () => {
  const { socketUrl, stop } = await start()
  await stop()
  const place = decodeURIComponent(new URL(socketUrl.reveal()).hostname)
  await writeFile(join(place, '.s.PGSQL.1.lock'), '1')
  const again = await start()
  const there = (await readdir(place)).filter((name) => name.startsWith('.s.PGSQL.'))
  await again.stop()
  expect(there.toSorted()).toEqual([`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`])
})

test('death is reported, and the next start recovers', async () => {
  const postgres = await start()
  process.kill(postgres.pid, 'SIGKILL')
  expect(await postgres.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await postgres.stop()
  await startAndFind((again) => {
    expect(again.port).toBe(port)
    return Promise.resolve()
  })
})

test('backends that outlive a killed postmaster, even stopped ones, do not hinder a start', async () => {
  const postgres = await start()
  const client = new pg.Client({ connectionString: postgres.ownerUrl.reveal() })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const backend = rows[0]?.pid ?? 0
  process.kill(backend, 'SIGSTOP')
  process.kill(postgres.pid, 'SIGKILL')
  await postgres.exited
  const { backends } = await findClusterProcesses(join(directory, 'cluster'))
  expect(backends.map(({ pid }) => pid)).toContain(backend)
  await startAndFind()
  await client.end().catch(() => undefined)
})

test('a postmaster whose starter was killed is ended by the next start', async () => {
  const child = startElsewhere([directory])
  const { pid } = await readyElsewhere(child)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect((await findClusterProcesses(join(directory, 'cluster'))).postmaster?.pid).toBe(pid)
  await startAndFind(async (postgres) => {
    expect(postgres.pid).not.toBe(pid)
    expect((await listProcesses()).map((facts) => facts.pid)).not.toContain(pid)
  })
})

test('a database that a living process runs is refused and left running', async () => {
  const child = startElsewhere([directory])
  const { ownerUrl } = await readyElsewhere(child)
  await expect(start()).rejects.toThrow(`process ${child.pid} is already running`)
  expect(await ask(ownerUrl, KEPT)).toEqual([{ word: 'word' }])
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test('a stale lock file that names a stranger neither hinders a start nor hurts the stranger', async () => {
  const lock = join(directory, 'cluster', 'postmaster.pid')
  const stranger = spawn('sleep', ['60'], { ...((await unprivilegedUser()) ?? {}), cwd: '/' })
  await once(stranger, 'spawn')
  const cluster = join(directory, 'cluster')
  await writeFile(
    lock,
    `${stranger.pid}\n${cluster}\n1795228831\n${port}\n\n127.0.0.1\n1 1\nready\n`,
  )
  await startAndFind()
  expect(stranger.exitCode).toBeNull()
  expect(stranger.signalCode).toBeNull()
  stranger.kill()
})

test('a database of another major version is refused in a plain sentence and left as it was', async () => {
  const stamp = join(directory, 'cluster', 'PG_VERSION')
  await writeFile(stamp, '17\n')
  await expect(start()).rejects.toThrow('was made by PostgreSQL 17')
  await writeFile(stamp, '18\n')
  await startAndFind()
})

test('its own log says nothing of statements or row contents', async () => {
  await startAndFind(async ({ ownerUrl }) => {
    await ask(ownerUrl, 'create table if not exists once (word text primary key)')
    const insert = "insert into once values ('canary-5d1e')"
    await ask(ownerUrl, insert)
    await expect(ask(ownerUrl, insert)).rejects.toThrow('duplicate key')
  })
  const text = await readFile(join(directory, 'postgres.log'), 'utf8')
  expect(text).toContain('duplicate key')
  expect(text).not.toContain('canary')
})

test('a stop whose polite way is blocked still ends it', async () => {
  const postgres = await start()
  process.kill(postgres.pid, 'SIGSTOP')
  const stopping = postgres.stop()
  const { backends } = await findClusterProcesses(join(directory, 'cluster'))
  expect(backends.length).toBeGreaterThan(0)
  process.kill(postgres.pid, 'SIGCONT')
  await stopping
  await until(
    'no process of the cluster is left',
    async () => {
      const found = await findClusterProcesses(join(directory, 'cluster'))
      return found.postmaster === undefined && found.backends.length === 0
    },
    { seconds: 30 },
  )
})
