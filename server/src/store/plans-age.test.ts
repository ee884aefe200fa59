import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLog } from '../kernel/log.ts'
import { plansAge } from './plans-age.ts'
import { openStore } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'
import { write } from './test-write.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('plans are old after a second, then after twice as long each time, and half a minute at most', () => {
  const isOld = plansAge(500)
  const renewed: number[] = []
  for (let now = 500; now < 200_000; now += 100) {
    if (isOld(now)) renewed.push(now)
  }
  const pauses = renewed.map((at, index) => at - (renewed[index - 1] ?? 500))
  expect(pauses).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000,
  ])
})

test('a connection plans anew for tables that have grown', async () => {
  let now = 0
  const log = openLog('silent')
  const store = openStore({ url: database.url, log, monotonicMilliseconds: () => now })
  const plan = () =>
    store.inTransaction('service', async (tx) => {
      await tx.query('test_grown', 'select network from followers where height > $1', [1])
      const lines = await tx.query<{ 'QUERY PLAN': string }>(
        'test_explain',
        'explain execute test_grown(1)',
      )
      return lines.map((line) => line['QUERY PLAN'])
    })
  const empty = await plan()
  await write(
    database.store,
    'test_grow',
    `insert into followers (network, height) select 'n' || n, n from generate_series(1, 5000) n`,
  )
  now += 999
  expect(await plan()).toEqual(empty)
  now += 1
  const grown = await plan()
  expect(grown).not.toEqual(empty)
  expect(await plan()).toEqual(grown)
  await store.close()
})
