import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain } from '../chains/chain.ts'
import { NodeFailure } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openSponsorStanding } from './sponsor-standing.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const AMOUNT_MAX = 1_000n
let database: TestDatabase
let networks = 6_000_000
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A network that names a wallet with just enough, and a clock of the test. */
async function aSponsor() {
  const { store } = database
  const wallet = await makeWallet(store)
  const config = {
    ...testNetwork((networks += 1)),
    approvalSponsoring: { wallet: wallet.address, amountMax: AMOUNT_MAX, amountPerDay: 10n ** 9n },
  }
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, config.network, { height: 1n, hash: 'b1' }),
  )
  const node = { balance: AMOUNT_MAX, asked: 0, isAway: false }
  const chain: Chain = scriptedChain(config, {
    balances: async () => {
      node.asked += 1
      if (node.isAway) throw new NodeFailure('no node answered')
      return { amounts: [node.balance], height: 1n }
    },
  })
  const time = { now: 0 }
  const clock = {
    nowMilliseconds: () => time.now,
    // Nobody waits for a node longer than it takes to answer.
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
  }
  const canGive = openSponsorStanding({ store, clock, log: openLog('silent') })
  const later = (seconds: number = limits.sponsorStandingSeconds) => (time.now += seconds * 1_000)
  return { wallet, chain, node, later, canGive: () => canGive(chain) }
}

test('a node is asked once for all who ask within the time that is remembered', async () => {
  const { node, canGive, later } = await aSponsor()
  expect(await Promise.all([canGive(), canGive(), canGive()])).toEqual([true, true, true])
  expect(await canGive()).toBe(true)
  expect(node.asked).toBe(1)
  later()
  expect(await canGive()).toBe(true)
  expect(node.asked).toBe(2)
})

test('a wallet with less than one approval may take is not announced, and comes back by itself', async () => {
  const { node, canGive, later } = await aSponsor()
  node.balance -= 1n
  expect(await canGive()).toBe(false)
  node.balance += 1n
  expect(await canGive()).toBe(false)
  later(limits.sponsorAbsentSeconds)
  expect(await canGive()).toBe(true)
})

test('nor is one that was deleted, is stopped, or is none', async () => {
  const { store } = database
  const change: readonly (readonly [string, string])[] = [
    ['test_halt', `update followers set halted_reason = 'x' where network = $1 and $2 <> ''`],
    ['test_delete', `update wallets set deleted_at = now() where $1 <> '' and address = $2`],
    ['test_none', `update wallets set address = 'gone' where $1 <> '' and address = $2`],
  ]
  for (const [name, text] of change) {
    const { wallet, chain, canGive, later } = await aSponsor()
    expect(await canGive()).toBe(true)
    await store.inTransaction('service', (tx) =>
      tx.query(name, text, [chain.config.network, wallet.address]),
    )
    later()
    expect([name, await canGive()]).toEqual([name, false])
  }
})

test('what a node does not say changes nothing that was known', async () => {
  const { node, canGive, later } = await aSponsor()
  node.isAway = true
  expect(await canGive()).toBe(false)
  node.isAway = false
  later()
  expect(await canGive()).toBe(true)
  node.isAway = true
  later()
  expect(await canGive()).toBe(true)
})

test('who asks does not wait for a node that says nothing', async () => {
  const { chain } = await aSponsor()
  const silent: Chain = { ...chain, balances: () => new Promise(() => undefined) }
  const clock = { nowMilliseconds: () => 0, sleep: async () => undefined }
  const { store } = database
  expect(await openSponsorStanding({ store, clock, log: openLog('silent') })(silent)).toBe(false)
})

test('where nothing is sponsored nothing is asked', async () => {
  const { chain, node } = await aSponsor()
  const { approvalSponsoring: _, ...config } = chain.config
  const { store } = database
  const clock = { nowMilliseconds: () => 0, sleep: async () => undefined }
  const canGive = openSponsorStanding({ store, clock, log: openLog('silent') })
  expect(await canGive({ ...chain, config })).toBe(false)
  expect(node.asked).toBe(0)
})
