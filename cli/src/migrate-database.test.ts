import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateDatabase } from './migrate-database.ts'
import { findDatabaseProblems } from './serve/database-problems.ts'
import { CommandFailed } from './usage-error.ts'
import { checkUsableDatabase } from './usable-database.ts'

const log = openLog('silent')
const suffix = Buffer.from(systemRandom.bytes(8)).toString('hex')
const [name, user] = [`florin_${suffix}`, `owner_${suffix}`]
let database: TestDatabase
let owner: pg.Client
let url: Secret

/** An empty database of a user that may make no roles. */
beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  await owner.query(`create role ${user} login password 'test'`)
  await owner.query(`create database ${name} owner ${user} template template0 strategy file_copy`)
  const address = new URL(database.ownerUrl.reveal())
  url = new Secret(
    Object.assign(address, { pathname: `/${name}`, username: user, password: 'test' }).href,
  )
})
afterAll(async () => {
  await owner.query(`drop database ${name} with (force)`)
  await owner.query(`drop role ${user}`)
  await owner.end()
  await database.close()
})

test('a migration that the database refuses is no bug: its reason is told, and what to do', async () => {
  const refused: unknown = await migrateDatabase({ url, log }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(CommandFailed)
  expect(String(refused)).toMatch(
    /the database refused migration 000001_foundation\.sql, of which nothing was kept: permission denied .*\. The user of DATABASE_URL has to own the database and be allowed to make roles/,
  )
})

test('a database that is too old is told with its version, before anything is changed in it', async () => {
  // The server's version cannot be set, so this database has a view of another one in front of it.
  await owner.query(`alter database ${name} set search_path = public, pg_catalog`)
  const inside = new pg.Client({ connectionString: url.reveal() })
  await inside.connect()
  await inside.query(`
    create view public.pg_settings as
      select name, case name when 'server_version' then '17.9 (a test)' else setting end as setting
        from pg_catalog.pg_settings`)
  await inside.end()

  await expect(checkUsableDatabase({ url, log })).rejects.toThrow(
    'the database is PostgreSQL 17.9 (a test), and 18 or newer is needed',
  )
  const { problems } = await findDatabaseProblems({ url, key: undefined, log })
  expect(problems).toContainEqual({
    what: 'The database is PostgreSQL 17.9 (a test), and 18 or newer is needed.',
    next: 'Upgrade it, or name another one in DATABASE_URL.',
  })
})
