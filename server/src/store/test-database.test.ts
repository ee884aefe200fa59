import pg from 'pg'
import { expect, test } from 'vitest'
import { openTestDatabase } from './test-database.ts'

test('a suite gets a migrated database of its own, as the role of the service', async () => {
  const [one, two] = await Promise.all([openTestDatabase(), openTestDatabase()])
  await one.store.inTransaction('service', (tx) =>
    tx.query('followers-add', "insert into followers (network) values ('eip155:1')"),
  )
  const who = 'select current_user::text as who, (select count(*) from followers) as followers'
  expect(await one.store.query('who', who)).toEqual([{ who: 'florin_service', followers: '1' }])
  expect(await two.store.query('who', who)).toEqual([{ who: 'florin_service', followers: '0' }])
  await Promise.all([one.close(), two.close()])
})

test('a connection that a suite leaves open is an error, and the database goes all the same', async () => {
  const database = await openTestDatabase()
  const forgotten = new pg.Client({ connectionString: database.url.reveal() })
  forgotten.on('error', () => undefined)
  await forgotten.connect()
  await expect(database.close({ seconds: 0.1 })).rejects.toThrow('every connection')
  const again = new pg.Client({ connectionString: database.url.reveal() })
  await expect(again.connect()).rejects.toThrow('does not exist')
  await forgotten.end().catch(() => undefined)
})
