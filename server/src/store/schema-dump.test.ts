import pg from 'pg'
import { expect, test } from 'vitest'
import { dumpSchema } from './schema-dump.ts'
import { openTestDatabase } from './test-database.ts'

test('the committed schema.sql is what the migrations make', async () => {
  const database = await openTestDatabase()
  const owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  try {
    const dump = await dumpSchema(owner)
    await expect(dump).toMatchFileSnapshot('../../migrations/schema.sql')
  } finally {
    await owner.end()
    await database.close()
  }
})

test('the dump shows a right that was given, a column and a constraint', async () => {
  const database = await openTestDatabase()
  const owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  try {
    const before = (await dumpSchema(owner)).split('\n')
    await owner.query('alter table lanes add column extra integer check (extra > 7)')
    await owner.query('grant truncate on followers to florin_service')
    const added = (await dumpSchema(owner)).split('\n').filter((line) => !before.includes(line))
    expect(added).toEqual([
      '  extra integer',
      'lanes lanes_extra_check: CHECK ((extra > 7))',
      'followers: grant delete, insert, select, truncate, update to florin_service',
    ])
  } finally {
    await owner.end()
    await database.close()
  }
})
