import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { CommitUnknown, openStore, sqlState } from './postgres.ts'
import type { Store } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

/** A transaction's first statement leaves before its begin is answered: these are the cases in which that could do harm. */
let database: TestDatabase
let spoiled: Spoiled
beforeAll(async () => {
  database = await openTestDatabase()
  spoiled = await spoilBegins(database.url)
})
afterAll(async () => {
  await spoiled.close()
  await database.close()
})

const WRITE = 'insert into followers (network) values ($1)'

async function followers(): Promise<readonly string[]> {
  const rows = await database.store.query<{ network: string }>(
    'all',
    'select network from followers',
  )
  return rows.map(({ network }) => network)
}

test('a write outside of a transaction is refused by the database', async () => {
  const attempt = database.store.query('add', WRITE, ['outside'])
  await expect(attempt).rejects.toThrow('read-only transaction')
  expect(await followers()).not.toContain('outside')
})

test('nothing is written when begin alone is refused, whoever the scope is', async () => {
  for (const scope of ['service', newId(systemRandom, 'acct')] as const) {
    const attempt = spoiled.store.inTransaction(scope, (tx) => tx.query('add', WRITE, ['alone']))
    await expect(attempt).rejects.toThrow('syntax error')
  }
  expect(spoiled.count()).toBe(2)
  expect(await followers()).not.toContain('alone')
})

test('what was read is not given when begin alone was refused', async () => {
  const seen: unknown[] = []
  const attempt = spoiled.store.inTransaction('service', async (tx) => {
    seen.push(await tx.query('one', 'select 1 as one'))
  })
  await expect(attempt).rejects.toThrow('syntax error')
  expect(seen).toEqual([])
})

test('work that asks nothing of the database is no success when begin was refused', async () => {
  const attempt = spoiled.store.inTransaction('service', async () => 'done')
  await expect(attempt).rejects.toThrow('syntax error')
})

test('statements that are sent together each have their own answer, in their order', async () => {
  const answers = await database.store.inTransaction('service', (tx) =>
    Promise.all([1, 2, 3].map((n) => tx.query(`say_${n}`, `select ${n} as n`))),
  )
  expect(answers).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]])
})

test('of statements that are sent together the first that fails is told, and nothing stays', async () => {
  const attempt = database.store.inTransaction('service', (tx) =>
    Promise.all([
      tx.query('add', WRITE, ['together']),
      tx.query('bad', 'select 1/0'),
      tx.query('add', WRITE, ['together-too']),
    ]),
  )
  await expect(attempt).rejects.toThrow('division by zero')
  expect(await followers()).toEqual([])
  // The statement that PostgreSQL never looked at is not taken for a known one.
  await database.store.inTransaction('service', (tx) => tx.query('add', WRITE, ['afterwards']))
  expect(await followers()).toEqual(['afterwards'])
})

test('a lone write is there, or is told as what it was refused for and leaves its connection usable', async () => {
  const store = openStore({ url: database.url, log: openLog('silent') })
  await store.write('add', WRITE, ['lone'])
  expect(await followers()).toContain('lone')
  const twice: unknown = await store.write('add', WRITE, ['lone']).catch((error: unknown) => error)
  expect(sqlState(twice)).toBe('23505')
  await store.write('add', WRITE, ['lone-too'])
  expect(await followers()).toContain('lone-too')
  expect(store.pool()).toMatchObject({ total: 1, idle: 1 })
  await expect(spoiled.store.write('add', WRITE, ['spoiled'])).rejects.toThrow('syntax error')
  expect(await followers()).not.toContain('spoiled')
  await store.close()
})

test('of a lone write whose connection is lost nobody says that it did not happen', async () => {
  const store = openStore({ url: database.url, log: openLog('silent') })
  const owner = openStore({ url: database.ownerUrl, log: openLog('silent'), role: null })
  const lost = store.write('slow', 'select pg_sleep(61)').catch((error: unknown) => error)
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where query = 'select pg_sleep(61)' and datname = current_database()`
  const ended = async () => (await owner.query('end', end)).length === 1
  await until('the slow write runs and is terminated', ended, { seconds: 30 })
  expect(await lost).toBeInstanceOf(CommitUnknown)
  await Promise.all([store.close(), owner.close()])
})

interface Spoiled {
  readonly store: Store
  /** Begins that were spoiled. */
  count(): number
  close(): Promise<void>
}

/** A store over a connection that misspells every begin: PostgreSQL refuses that one, and takes what comes behind. */
async function spoilBegins(url: Secret): Promise<Spoiled> {
  const { hostname, port } = new URL(url.reveal())
  const open = new Set<Socket>()
  let spoiledCount = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => undefined)
    }
    near.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf('begin read write')
      if (at >= 0) {
        spoiledCount += 1
        bytes.write('begim', at)
      }
      far.write(bytes)
    })
    far.pipe(near)
    near.on('close', () => far.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = new URL(url.reveal())
  address.port = String((server.address() as AddressInfo).port)
  const store = openStore({ url: new Secret(address.href), log: openLog('silent') })
  return {
    store,
    count: () => spoiledCount,
    close: async () => {
      await store.close()
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
