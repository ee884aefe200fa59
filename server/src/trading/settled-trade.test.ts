import { afterAll, beforeAll, expect, test } from 'vitest'
import { TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { openTradingScene } from './test-trading.ts'
import { moved, ROUTER, scriptedVenue } from './test-venue.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('what a settled trade brought in stays, whatever its transaction does where its final block was replaced', async () => {
  const balances = () => ({
    ...{ native: 10_000n, asset: 10_000n, height: 100n },
    blockHash: '0-100',
  })
  const scene = await openTradingScene(database.store, 5_900_201, () => [
    scriptedVenue({ rate: 3n, balances }),
  ])
  const { trade } = await scene.trade()
  const [hash] = scene.sent
  if (hash === undefined) throw new Error('nothing was sent')
  const swap = (amount: bigint) => ({
    hash,
    transfers: [moved(TOKEN, ROUTER, scene.wallet.address, amount, 0)],
  })
  const brought = async () => {
    const [row] = await database.store.query<{ status: string; received: string | null }>(
      'test_brought',
      'select p.status, d.received from trades d join payments p on p.id = d.payment_id where d.id = $1',
      [trade.id],
    )
    return row
  }
  await scene.mine([swap(2_900n)])
  await scene.finalize()
  const settled = { status: 'settled', received: '2900' }
  expect(await brought()).toEqual(settled)
  // As a reorganisation below what was final leaves it.
  await write(
    database.store,
    'test_reopen',
    `update chain_transactions set state = 'open', mined_hash = null, mined_height = null, mined_block_hash = null,
       succeeded = null, fee_paid = null where network = $1`,
    [scene.chain.config.network],
  )
  await scene.mine([swap(2_800n)])
  expect(await brought()).toEqual(settled)
  await scene.mine([], scene.tip().height)
  expect(await brought()).toEqual(settled)
  expect(await scene.books(TOKEN)).toEqual({ available: 2_900n, held: 0n })
})
