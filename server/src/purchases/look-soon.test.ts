import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../kernel/until.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openLookSoon } from './look-soon.ts'
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

const SOON = { seconds: 20 }

/** A purchase that is looked at for its buyer, until `end`. */
async function looked() {
  const bought = await aPurchase({ store: database.store, reading }, (chainId += 1), 9_000n)
  const over = new AbortController()
  const { chain, deps, purchase } = bought
  const looking = openLookSoon(deps)(chain, purchase, over.signal)
  return { ...bought, looking, end: () => over.abort() }
}

test('a purchase whose buyer waits is confirmed without the watch, as soon as its block was read', async () => {
  const { follow, shows, status, looking, searches } = await looked()
  shows(9_001n, 'next')
  await until('it was looked at twice', () => searches() >= 2, SOON)
  expect(await status()).toBe('pending')
  await follow(9_001n, 'next')
  // It ends by itself: nothing is left to look for.
  await looking
  expect(await status()).toBe('confirmed')
})

test('it ends with the wait, and a node that fails ends nothing', async () => {
  const { chain, deps, purchase } = await aPurchase(
    { store: database.store, reading },
    (chainId += 1),
    9_000n,
  )
  let asked = 0
  const exact = {
    finalState: async () => {
      asked += 1
      throw new Error('the node is away')
    },
  }
  const over = new AbortController()
  const looking = openLookSoon(deps)(
    { ...chain, exact: { ...chain.exact, ...exact } as typeof chain.exact & object },
    purchase,
    over.signal,
  )
  await until('it was asked again', () => asked >= 3, SOON)
  over.abort()
  await looking
  const asks = asked
  expect(asks).toBeGreaterThanOrEqual(3)
})
