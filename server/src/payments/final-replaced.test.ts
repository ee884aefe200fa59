import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain } from '../chains/chain.ts'
import { systemClock } from '../kernel/clock.ts'
import { attemptsToSend } from '../sender/transaction-store.ts'
import { followerStandings, unhaltNetwork } from '../sender/halt-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTestLane } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const NOTHING = { deposits: [], take: 0, feePercent: 100, reverts: false }

/** A wallet one payment of which is final as the chain had it, and another one waits; then that final block is replaced by an empty one. */
async function replaced(chainId: number, reverts: boolean, family?: Pick<Chain, 'renewal'>) {
  const { store } = database
  const model = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane = await openTestLane(store, model, chainId, family)
  const pay = async () =>
    lane.send([lane.prepare({ asset: 'native', amount: 100n, feeCeiling: 10n, at: model.tip() })])
  await pay()
  model.mine({ ...NOTHING, take: 1, reverts })
  await lane.follow(1)
  await lane.finalize(model.tip().height)
  await pay()
  model.reorg(1, 0n, true)
  model.mine(NOTHING)
  await lane.follow(2)
  const { network } = lane.chain.config
  const shown = () =>
    store.query<{ status: string; violated: boolean; state: string }>(
      'test_shown',
      `select p.status, p.finality_violated as violated, t.state from payments p
       join payment_transactions on payment_id = p.id
       join chain_transactions t on t.id = chain_transaction_id
       where p.network = $1 order by t.nonce`,
      [network],
    )
  const toSend = async () => {
    const nowMilliseconds = systemClock.nowMilliseconds()
    const since = { nowMilliseconds, notSentSinceMilliseconds: 0 }
    const due = await store.inTransaction('service', (tx) => attemptsToSend(tx, network, since, 9))
    return due.map(({ nonce }) => nonce)
  }
  return { model, lane, shown, toSend }
}

test('what had been settled in a final block that was replaced is sent again, and lets in what waits behind it', async () => {
  const { model, lane, shown, toSend } = await replaced(61, false)
  const settled = { status: 'settled', violated: true }
  expect(await shown()).toEqual([
    { ...settled, state: 'open' },
    { status: 'pending', violated: false, state: 'open' },
  ])
  expect(await toSend()).toEqual([0n, 1n])
  await database.store.inTransaction('service', (tx) =>
    unhaltNetwork(tx, lane.chain.config.network),
  )
  model.mine({ ...NOTHING, take: 2 })
  await lane.follow(3)
  await lane.follow(3)
  await lane.finalize(model.tip().height)
  expect(await shown()).toEqual([
    { ...settled, state: 'final' },
    { status: 'settled', violated: false, state: 'final' },
  ])
  const held = await database.store.query(
    'test_held',
    `select kind, balance from ledger_accounts where network = $1 and kind in ('available', 'held') order by kind`,
    [lane.chain.config.network],
  )
  expect(held).toEqual([
    { kind: 'available', balance: `${model.tip().balances.get('native')}` },
    { kind: 'held', balance: '0' },
  ])
})

test('what had failed there is not: whoever trusted that has paid otherwise', async () => {
  const { shown, toSend } = await replaced(62, true)
  expect(await shown()).toEqual([
    { status: 'failed', violated: true, state: 'final' },
    { status: 'pending', violated: false, state: 'open' },
  ])
  expect(await toSend()).toEqual([1n])
})

test('blocks that were read anew since are not final before a node says so: another reorganisation of them stops nothing', async () => {
  const { model, lane } = await replaced(63, false)
  const { network } = lane.chain.config
  await database.store.inTransaction('service', (tx) => unhaltNetwork(tx, network))
  await lane.follow(1)
  model.reorg(2, 0n, true)
  const { height } = await lane.follow(2)
  expect(height).toBe(1n)
  const standings = await database.store.inTransaction('service', followerStandings)
  expect(standings.get(network)).toEqual({ height: 1n, finalizedHeight: 1n, haltedReason: null })
})

test('what the chain shows until it is in again is its own: nothing else is paid with it, and no books find it', async () => {
  const { model, lane } = await replaced(64, false)
  const { network } = lane.chain.config
  const { store } = database
  await store.inTransaction('service', (tx) => unhaltNetwork(tx, network))
  await lane.follow(2)
  const pay = async (amount: bigint, at = model.tip()) =>
    lane.send([lane.prepare({ asset: 'native', amount, feeCeiling: 10n, at })])
  const before = model.tip()
  // All of it but what was settled and what waits: 1000 less twice 110.
  expect(await pay(771n)).toMatchObject([{ kind: 'short' }])
  model.mine({ ...NOTHING, take: 2 })
  await lane.follow(1)
  // Of a node that is a block behind.
  expect(await pay(771n, before)).toMatchObject([{ kind: 'short' }])
  await lane.finalize(model.tip().height)
  expect(await pay(770n)).toMatchObject([{ kind: 'committed' }])
  const booked = await store.query(
    'test_booked',
    `select sum(balance)::text as booked from ledger_accounts where network = $1 and kind in ('available', 'held')`,
    [network],
  )
  expect(booked).toEqual([{ booked: `${model.tip().balances.get('native')}` }])
})

test('where nothing waits behind a nonce it is not: of two bytes both may get in, and what ruled that out was said of blocks that are gone', async () => {
  const { shown, toSend } = await replaced(65, false, {
    renewal: {
      kind: 'lifetime',
      lifetimeOf: () => 1_000n,
      lookBack: async () => [],
      deadFrom: async () => [],
    },
  })
  expect(await shown()).toEqual([
    { status: 'settled', violated: true, state: 'final' },
    { status: 'pending', violated: false, state: 'open' },
  ])
  expect(await toSend()).toEqual([1n])
})
