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
