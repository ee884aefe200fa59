import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { callScene } from './batch/test-call-scene.ts'
import { openCallLooks } from './escrow-looks-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const WAITING = 30

test('whoever waits for calls at one moment shares their statements, and each hears of its own', async () => {
  const { store } = database
  const [one, other] = [await callScene(store, 600_001, {}), await callScene(store, 600_002, {})]
  await one.ask()
  await other.ask()
  await one.ends(one.sent[0], 'mined', true, 7n)
  let statements = 0
  const lookAt = openCallLooks({
    query: (...asked) => {
      statements += 1
      return store.query(...asked)
    },
  })
  const { key = '' } = one.script
  const looks = Array.from({ length: WAITING }, (_, index) =>
    lookAt({ network: (index % 2 === 0 ? one : other).config.network, key }),
  )
  const unknown = lookAt({ network: one.config.network, key: 'deposit:of nobody' })
  const found = await Promise.all(looks)
  expect(statements).toBeLessThan(WAITING / 2)
  for (const [index, look] of found.entries()) {
    const scene = index % 2 === 0 ? one : other
    expect(look).toMatchObject({
      stored: { accountId: scene.accountId, operation: 'deposit', hash: scene.sent[0] },
      followed: 100n,
    })
  }
  expect(found[0]?.stored).toMatchObject({ state: 'mined', succeeded: true, minedHeight: 7n })
  expect(found[1]?.stored).toMatchObject({ state: 'open', succeeded: false, minedHeight: null })
  expect(await unknown).toBeUndefined()
})
