import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordsOf, openTestClaim, PAYER } from '../payments/test-claims.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { buyersAwaited, sendersAwaited } from './awaited-store.ts'
import { openScene, RECIPIENT, SENDER } from './test-scene.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

test('of a wallet that settles what a buyer signed only that is waited for which that buyer signed', async () => {
  const { store } = database
  const scene = await openScene(store, 'solana')
  const { network } = scene.chain.config
  const { build } = await scene.build()
  const asked = async () =>
    store.inTransaction('service', async (tx) => ({
      // Of those who stand in a block beside it nothing is read.
      senders: [...(await sendersAwaited(tx, network, [RECIPIENT, SENDER, PAYER]))],
      buyers: [...(await buyersAwaited(tx, network, [SENDER]))],
    }))
  expect(await asked()).toEqual({ senders: [SENDER], buyers: [] })
  const [accountId] = scene.accounts
  const config = { ...testNetwork(84_532), network }
  const order = { config, accountId, createdAt: 0 }
  const claimed = await openTestClaim(store, recordsOf(store, config), order)
  await write(store, 'test_settling', 'update builds set proof_key = $2 where payment_id = $1', [
    build.paymentId,
    claimed,
  ])
  expect(await asked()).toEqual({ senders: [], buyers: [PAYER] })
})
