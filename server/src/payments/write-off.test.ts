import { afterAll, beforeAll, expect, test } from 'vitest'
import { findInBooks } from '../doctor/books-store.ts'
import { readBalances } from '../ledger/store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTestLane, TOKEN } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'
import { writeOff } from './write-off.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('what somebody else has moved leaves the books, and never while a payment is under way', async () => {
  const { store } = database
  const model = openModelChain(['native', TOKEN].map((asset) => ({ asset, amount: 100n })))
  const lane = await openTestLane(store, model, 71_051)
  const { wallet, chain } = lane
  const order = { asset: TOKEN, feeCeiling: 1n, at: model.tip(), amount: 10n }
  await lane.send([lane.prepare(order)])
  const written = async (onChain: bigint) => {
    const amounts = chain.config.assets.map(() => onChain)
    const seen = { amounts, nowMilliseconds: 0 }
    return await store.inTransaction('service', (tx) => writeOff(tx, chain, wallet, seen))
  }
  expect(await written(0n)).toEqual([])
  model.mine({ deposits: [], take: 1, feePercent: 100, reverts: false })
  await lane.follow(1)
  expect(await written(0n)).toEqual([])
  await lane.finalize(model.tip().height)
  expect(await written(100n)).toEqual([])
  const missing = [
    { asset: 'native', amount: 39n },
    { asset: TOKEN, amount: 30n },
  ]
  expect(await written(60n)).toEqual(missing)
  expect(await written(60n)).toEqual([])
  const books = await store.inTransaction('service', (tx) =>
    readBalances(tx, { accountId: wallet.accountId, walletId: wallet.id }),
  )
  expect(books.map(({ available, held }) => [available, held])).toEqual([
    [60n, 0n],
    [60n, 0n],
  ])
  expect(await store.inTransaction('service', findInBooks)).toEqual([])
})
