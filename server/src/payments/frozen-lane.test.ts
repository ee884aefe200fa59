import { afterAll, beforeAll, expect, test } from 'vitest'
import { freezeLane, lockLane } from '../sender/lane-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTestLane } from './test-lane.ts'
import type { TestLane } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A lane that has sent once, and how it is asked to send again where the chain has used so many of its nonces. */
async function openScene(chainId: number) {
  const model = openModelChain([{ asset: 'native', amount: 100n }])
  const lane = await openTestLane(database.store, model, chainId)
  const send = (laneLatest: bigint) => {
    const order = { asset: 'native', amount: 1n, feeCeiling: 1n, at: model.tip() }
    const { draft, ...prepared } = lane.prepare(order)
    return lane.send([{ ...prepared, draft: { ...draft, laneLatest } }])
  }
  expect(await send(0n)).toMatchObject([{ kind: 'committed' }])
  return { lane, send }
}

const stored = async ({ chain, wallet }: TestLane) => {
  const [counted] = await database.store.query(
    'test_stored',
    `select (select count(*)::int from payments where wallet_id = $1) as payments,
       (select count(*)::int from chain_transactions where network = $2) as places,
       (select frozen_reason from lanes where network = $2) as reason,
       (select next_nonce::int from lanes where network = $2) as next`,
    [wallet.id, chain.config.network],
  )
  return counted
}

test('nothing is signed for a lane that was stopped', async () => {
  const { lane, send } = await openScene(71_971)
  const { network } = lane.chain.config
  const stop = database.store.inTransaction('service', async (tx) => {
    await lockLane(tx, network, lane.wallet.address, 0n)
    await freezeLane(tx, network, lane.wallet.address, 'by hand')
  })
  await stop
  expect(await send(0n)).toEqual([{ kind: 'frozen' }])
  expect(await send(1n)).toEqual([{ kind: 'frozen' }])
  expect(await stored(lane)).toEqual({ payments: 1, places: 1, reason: 'by hand', next: 1 })
})

test('a lane whose chain has used a nonce that was not given out here is stopped, and signs nothing', async () => {
  const { lane, send } = await openScene(71_972)
  expect(await send(1n)).toMatchObject([{ kind: 'committed' }])
  expect(await send(3n)).toEqual([{ kind: 'frozen' }])
  const stopped = { payments: 2, places: 2, next: 2 }
  expect(await stored(lane)).toMatchObject(stopped)
  expect(await stored(lane)).not.toMatchObject({ reason: null })
  expect(await send(2n)).toEqual([{ kind: 'frozen' }])
  expect(await stored(lane)).toMatchObject(stopped)
})
