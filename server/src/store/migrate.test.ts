import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { migrate, MIGRATIONS_DIRECTORY } from './migrate.ts'
import { parseMigration } from './migration-files.ts'
import { openStore } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'
import { write } from './test-write.ts'
import { WAITS_HERE } from './test-waits.ts'

const log = openLog('silent')
let database: TestDatabase
let owner: pg.Client
let directory: string
const made: string[] = []

beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
})
afterAll(async () => {
  for (const name of made) await owner.query(`drop database ${name} with (force)`)
  await owner.end()
  await database.close()
})
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'florin-migrations-'))
  return () => rm(directory, { recursive: true })
})

async function emptyDatabase(): Promise<Secret> {
  const name = `empty_${Buffer.from(systemRandom.bytes(8)).toString('hex')}`
  await owner.query(`create database ${name} template template0 strategy file_copy`)
  made.push(name)
  const url = new URL(database.ownerUrl.reveal())
  url.pathname = `/${name}`
  return new Secret(url.href)
}

async function ask(url: Secret, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url.reveal() })
  await client.connect()
  try {
    return (await client.query<object>(text)).rows
  } finally {
    await client.end()
  }
}

const put = (name: string, sql: string) => writeFile(join(directory, name), sql)
const numbers = async () =>
  (await readdir(MIGRATIONS_DIRECTORY)).flatMap((name) =>
    /^\d{6}_/.test(name) ? [Number(name.slice(0, 6))] : [],
  )

test('twenty starts at once on an empty database apply every migration exactly once', async () => {
  const url = await emptyDatabase()
  const all = await Promise.all(Array.from({ length: 20 }, () => migrate({ url, log })))
  expect(all.flatMap(({ applied }) => applied).sort()).toEqual((await numbers()).sort())
  expect(await migrate({ url, log })).toEqual({ applied: [], names: [] })
})

test('databases of one cluster, migrated at once by a plain owner, share the role', async () => {
  const user = `owner_${Buffer.from(systemRandom.bytes(8)).toString('hex')}`
  await owner.query(`create role ${user} login createrole password 'test'`)
  await owner.query(`grant florin_service to ${user} with admin true, set false`)
  const urls: Secret[] = []
  for (let count = 0; count < 6; count += 1) {
    const url = new URL((await emptyDatabase()).reveal())
    await owner.query(`alter database ${url.pathname.slice(1)} owner to ${user}`)
    url.username = user
    url.password = 'test'
    urls.push(new Secret(url.href))
  }
  const all = await Promise.all(urls.map((url) => migrate({ url, log })))
  const each = await numbers()
  expect(all.map(({ applied }) => applied)).toEqual(urls.map(() => each))
  for (const url of urls) {
    const store = openStore({ url, log })
    expect(await store.query('who', 'select current_user::text as who')).toEqual([
      { who: 'florin_service' },
    ])
    await store.close()
  }
})

test('events and what waits to be numbered come over into runs to the letter', async () => {
  const url = await emptyDatabase()
  for (const name of await readdir(MIGRATIONS_DIRECTORY)) {
    if (/^0000(?:[0-3]\d|4[0-2])_/.test(name)) {
      await put(name, await readFile(join(MIGRATIONS_DIRECTORY, name), 'utf8'))
    }
  }
  await migrate({ url, log, directory })
  const id = `evt_${'A'.repeat(22)}`
  const note = JSON.stringify({ note: 'two\nlines, ä "quoted" \\ ,"data":{}' })
  await ask(
    url,
    `insert into accounts (id, name) values ('acct_1111111111111111111111', 'one');
     insert into events (account_id, sequence, id, type, channel, resource_id, data, created_at)
     values ('acct_1111111111111111111111', 7, '${id}', 'refund', 'refund', 'a"b', '${note}', now());
     insert into outbox (account_id, type, resource_id, data, created_at)
     values ('acct_1111111111111111111111', 'payment', 'pay_1', '${note}', now())`,
  )
  await migrate({ url, log })
  const facts = (type: string, resourceId: string) =>
    `{"type":"${type}","resourceId":${JSON.stringify(resourceId)},"data":${note}}`
  expect(await ask(url, 'select last_sequence, count, first_id, facts from event_runs')).toEqual([
    { last_sequence: '7', count: 1, first_id: id, facts: facts('refund', 'a"b') },
  ])
  expect(await ask(url, 'select count, facts from outbox')).toEqual([
    { count: 1, facts: facts('payment', 'pay_1') },
  ])
})

test('a migration that fails leaves nothing of itself, and those before it stay', async () => {
  const url = await emptyDatabase()
  await put('000001_good.sql', 'create table good (id int);')
  await put('000002_bad.sql', 'create table half (id int); select 1/0;')
  await expect(migrate({ url, log, directory })).rejects.toThrow(
    'migration 000002_bad.sql was refused: division by zero',
  )
  const there = await ask(url, "select to_regclass('good') as good, to_regclass('half') as half")
  expect(there).toEqual([{ good: 'good', half: null }])
  await put('000002_bad.sql', 'create table half (id int);')
  expect(await migrate({ url, log, directory })).toEqual({
    applied: [2],
    names: ['000002_bad.sql'],
  })
})

test('what takes references away gives up soon where somebody reads, and is run again', async () => {
  const name = '000046_references_by_construction.sql'
  for (const file of await readdir(MIGRATIONS_DIRECTORY)) {
    if (!/^\d{6}_/.test(file) || file >= name) continue
    await put(file, await readFile(join(MIGRATIONS_DIRECTORY, file), 'utf8'))
  }
  const url = await emptyDatabase()
  await migrate({ url, log, directory })
  const doctor = new pg.Client({ connectionString: url.reveal() })
  await doctor.connect()
  try {
    // The last of the tables: those before it were had by then, and whoever uses them waited for them.
    await doctor.query('begin; select from effects')
    const failure = { cause: { message: 'canceling statement due to statement timeout' } }
    await expect(migrate({ url, log })).rejects.toMatchObject(failure)
    await doctor.query('rollback')
    expect((await migrate({ url, log })).names).toContain(parseMigration(name, '').name)
  } finally {
    await doctor.end()
  }
})

test('a migration whose table is in use lets others at it, and is applied once it is free', async () => {
  const url = await emptyDatabase()
  await put('000001_busy.sql', 'create table busy (id int);')
  await migrate({ url, log, directory })
  await put('000002_more.sql', 'alter table busy add column more int;')
  const dump = new pg.Client({ connectionString: url.reveal() })
  await dump.connect()
  try {
    await dump.query('begin; select from busy')
    const giving = migrate({ url, log, directory, tableLockTriesMax: 1 })
    await expect(giving).rejects.toMatchObject({ sqlState: '55P03' })
    const going = migrate({ url, log, directory })
    await until(
      'the migration waits',
      async () => {
        const waiting = `select from ${WAITS_HERE} where mode = 'AccessExclusiveLock'`
        return (await ask(url, waiting)).length > 0
      },
      { seconds: 30 },
    )
    // Behind the migration, and through while the dump goes on.
    expect(await ask(url, 'select from busy')).toEqual([])
    await dump.query('rollback')
    expect(await going).toMatchObject({ applied: [2] })
  } finally {
    await dump.end()
  }
})

test('an applied migration whose text changed is refused', async () => {
  const url = await emptyDatabase()
  await put('000001_good.sql', 'create table good (id int);')
  await migrate({ url, log, directory })
  await put('000001_good.sql', 'create table good (id bigint);')
  await expect(migrate({ url, log, directory })).rejects.toThrow('not the text that was applied')
})

test('older code runs on a newer database unless a migration that it lacks is breaking', async () => {
  const url = await emptyDatabase()
  await put('000001_one.sql', 'create table one (id int);')
  await put('000002_two.sql', 'create table two (id int);')
  await migrate({ url, log, directory })
  await rm(join(directory, '000002_two.sql'))
  expect(await migrate({ url, log, directory })).toEqual({ applied: [], names: [] })

  await put('000002_two.sql', 'create table two (id int);')
  await put('000003_three.sql', '--! breaking\ndrop table one;')
  await migrate({ url, log, directory })
  await rm(join(directory, '000003_three.sql'))
  await expect(migrate({ url, log, directory })).rejects.toThrow('000003_three.sql')
})

test('numbers run from 1 without a gap, and names say what they do', async () => {
  const url = await emptyDatabase()
  await put('000002_second.sql', 'select 1;')
  await expect(migrate({ url, log, directory })).rejects.toThrow('does not follow')
  expect(() => parseMigration('1_short.sql', '')).toThrow('is not named')
})

test('line ends do not change what a migration is', () => {
  const one = parseMigration('000001_a.sql', '--! breaking\nselect 1;\n')
  expect(parseMigration('000001_a.sql', '--! breaking\r\nselect 1;\r\n')).toEqual(one)
  expect(one.breaking).toBe(true)
})

test('the role of the service cannot change which migrations were applied', async () => {
  const attempt = write(database.store, 'forge', 'delete from migrations')
  await expect(attempt).rejects.toThrow('permission denied')
})
