import { openLog } from '@florin/server/kernel/log.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDatabaseProblems } from './database-problems.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('an empty database is behind by a number of migrations, of which the first and the last are named', async () => {
  // The one that PostgreSQL itself comes with. Nothing is changed in it.
  const empty = Object.assign(new URL(database.ownerUrl.reveal()), { pathname: '/postgres' })
  const { problems } = await findDatabaseProblems({
    url: new Secret(empty.href),
    key: undefined,
    log: openLog('silent'),
  })
  expect(problems.at(-1)).toEqual({
    what: expect.stringMatching(
      /^The database's schema is behind by \d+ migrations: 000001_foundation\.sql to \d{6}_\w+\.sql\.$/,
    ),
    next: expect.stringContaining('florin migrate'),
  })
})
