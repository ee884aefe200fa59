import { openKeyEncryptionKey } from '@florin/server/custody/key-encryption-key.ts'
import { KeyUnusable, keyFromText } from '@florin/server/custody/key-file.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { write } from '@florin/server/store/test-write.ts'
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

test('a key that does not open the database is told in the words of every other command, with what to set', async () => {
  const { store, url } = database
  const open = (text: string) =>
    openKeyEncryptionKey({ store, text: keyFromText(text), random: systemRandom })
  const [right, wrong] = [
    'the key text of this database, long',
    'the key text of another one, long',
  ]
  await open(right)
  const toldBy = async (text: string) => {
    const refused = await open(text).catch((error: unknown) => error)
    if (!(refused instanceof KeyUnusable)) throw new Error('it was not refused')
    return refused.message.replace('the', 'The')
  }
  const problemsWith = async (text: string) => {
    const found = await findDatabaseProblems({
      url,
      key: keyFromText(text),
      log: openLog('silent'),
    })
    return found.problems.filter(({ what }) => what.includes('key-encryption key'))
  }
  expect(await problemsWith(right)).toEqual([])
  const [problem, ...more] = await problemsWith(wrong)
  expect(more).toEqual([])
  expect(problem?.what).toBe(`${await toldBy(wrong)}.`)
  expect(problem?.what).toMatch(/set FLORIN_KEY_FILE .* or FLORIN_KEY /)

  await write(
    store,
    'test_tamper',
    'update installation_secrets set sealed = set_byte(sealed, 0, 9)',
  )
  expect((await problemsWith(right))[0]?.what).toBe(`${await toldBy(right)}.`)
})
