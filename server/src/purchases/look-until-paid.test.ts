import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../kernel/until.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openLookUntilPaid } from './look-until-paid.ts'
import { aPurchase } from './test-purchase.ts'

let chainId = 71_850

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
  reading = await openReading(database.store)
})
afterAll(async () => {
  await reading.close()
  await database.close()
})

const SOON = { seconds: 60 }

const bought = () => aPurchase({ store: database.store, reading }, (chainId += 1), 9_000n)

test('a purchase whose buyer waits is confirmed without the watch, as soon as its block was read', async () => {
  const { chain, deps, purchase, follow, shows, status, searches } = await bought()
  const looking = openLookUntilPaid(deps)(chain, purchase, new AbortController().signal)
  shows(9_001n, 'next')
  await until('it was looked at twice', () => searches() >= 2, SOON)
  expect(await status()).toBe('pending')
  await follow(9_001n, 'next')
  // It ends by itself: nothing is left to look for.
  await looking
  expect(await status()).toBe('confirmed')
})

test('it ends with the wait, and a node that fails ends nothing', async () => {
  const { chain, deps, purchase, status } = await bought()
  let asked = 0
  const exact = {
    finalState: async () => {
      asked += 1
      throw new Error('the node is away')
    },
  }
  const over = new AbortController()
  const looking = openLookUntilPaid(deps)(
    { ...chain, exact: { ...chain.exact, ...exact } as typeof chain.exact & object },
    purchase,
    over.signal,
  )
  await until('it was asked again', () => asked >= 3, SOON)
  over.abort()
  await looking
  expect(await status()).toBe('pending')
})
