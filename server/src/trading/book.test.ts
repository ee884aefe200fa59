import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradeBook } from './book.ts'
import { openTradingScene } from './test-trading.ts'
import { scriptedVenue } from './test-venue.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** One trade at a venue of this name. */
async function tradeAt(name: string, chainId: number) {
  const balances = () => ({
    ...{ native: 1_000_000n, asset: 1_000_000n, height: 100n },
    blockHash: '0-100',
  })
  const scene = await openTradingScene(database.store, chainId, () => [
    scriptedVenue({ rate: 1n, balances }, name),
  ])
  const { trade } = await scene.trade()
  const unreadable = (venues: typeof scene.chain.venues) => {
    const chain = { ...scene.chain, ...(venues === undefined ? {} : { venues }) }
    const { network } = chain.config
    const book = openTradeBook({ chains: new Map([[network, chain]]), log: openLog('silent') })
    return database.store.inTransaction('service', (tx) =>
      book.unreadable(tx, network, [trade.paymentId, 'pay_unknown' as PaymentId]),
    )
  }
  return { paymentId: trade.paymentId, venues: scene.chain.venues, unreadable }
}

test('a trade of a venue from outside is not to be read where that venue is missing', async () => {
  const { paymentId, venues, unreadable } = await tradeAt('from-outside', 5_900_101)
  expect(await unreadable(venues)).toEqual(new Set())
  expect(await unreadable([])).toEqual(new Set([paymentId]))
})

test('a trade of our own venues is read whatever the networks file lists', async () => {
  const { unreadable } = await tradeAt('uniswap-v2', 5_900_102)
  expect(await unreadable([])).toEqual(new Set())
})
