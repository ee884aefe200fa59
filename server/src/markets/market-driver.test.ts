import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { StoreUnavailable } from '../store/postgres.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { marketEventsAfter } from './event-store.ts'
import { startMarketDriver } from './market-driver.ts'
import { forgetMarketBlocks } from './market-follower-store.ts'
import { openTestMarketChain, TEST_MINTS } from './test-market-chain.ts'

const SOON = { seconds: 30 }
const [MINT] = TEST_MINTS

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A store that loses what it was given to write, each time it is given that statement while `isBroken()`. */
function losing(store: Store, statement: string, isBroken: () => boolean): Store {
  return {
    ...store,
    inTransaction: (scope, work) =>
      store.inTransaction(scope, async (tx) => {
        let isLost = false
        const query: Tx['query'] = (name, text, values) => {
          isLost ||= name === statement && isBroken()
          return tx.query(name, text, values)
        }
        const done = await work({ ...tx, query })
        if (isLost) throw new StoreUnavailable('lost')
        return done
      }),
  }
}

test('blocks that no reorg reaches are forgotten, a part at a time, and the others kept', async () => {
  const world = openTestMarketChain()
  const network = 'eip155:922' as typeof world.chain.config.network
  const chain = { ...world.chain, config: { ...world.chain.config, network } }
  let late = 0
  const clock = { ...systemClock, nowMilliseconds: () => systemClock.nowMilliseconds() + late }
  const driver = startMarketDriver({
    ...{ chain, store: database.store, clock, random: systemRandom },
    ...{ log: openLog('silent'), instance: 'one', isHeard: () => false },
  })
  const lowest = async () => {
    const [row] = await database.store.query<{ height: string | null }>(
      'test_lowest_block',
      `select min(height) as height from market_blocks where network = $1`,
      [network],
    )
    return Number(row?.height)
  }
  try {
    await until('the first block', () => driver.height() !== null, SOON)
    for (let mined = 0; mined < 200; mined += 1) world.mine()
    const head = world.height()
    await until('all are read', () => driver.height() === head, SOON)
    late = 60_000
    const final = Number(head) - 20
    const kept = final - limits.finalBlocksKept
    await until('the old ones are gone', async () => (await lowest()) === kept, SOON)
  } finally {
    await driver.stop()
  }
  const cursor = { network, height: 0n, blockHash: '', finalizedHeight: 200n, fence: 0n }
  const before = await lowest()
  await database.store.inTransaction('service', (tx) => forgetMarketBlocks(tx, cursor, 5))
  expect(await lowest()).toBe(before + 5)
})

test('a price whose round failed is told when the blocks are read again', async () => {
  const world = openTestMarketChain()
  const network = 'eip155:921' as typeof world.chain.config.network
  const chain = { ...world.chain, config: { ...world.chain.config, network } }
  let losses = 0
  const store = losing(database.store, 'market_events_store', () => (losses += 1) <= 2)
  const driver = startMarketDriver({
    ...{ chain, store, clock: systemClock, random: systemRandom },
    ...{ log: openLog('silent'), instance: 'one', isHeard: () => false },
  })
  try {
    await until('the first block', () => driver.height() !== null, SOON)
    world.mine([{ kind: 'open', mint: MINT, native: 10n ** 18n, token: 10n ** 12n }])
    const told = async () =>
      await database.store.inTransaction('service', (tx) => marketEventsAfter(tx, network, 0n, 10))
    await until('what was lost', async () => (await told()).length > 0, SOON)
    expect(losses).toBe(3)
    expect((await told()).map(({ type }) => type)).toEqual(['newToken', 'priceUpdate'])
  } finally {
    await driver.stop()
  }
})

test('a quick chain is read as its blocks come while somebody listens or something happens there, and seldom otherwise', async () => {
  const world = openTestMarketChain()
  const network = 'eip155:923' as typeof world.chain.config.network
  const config = { ...world.chain.config, network, blockTimeMilliseconds: 50 }
  let [now, isHeard] = [systemClock.nowMilliseconds(), false]
  const slept: number[] = []
  const clock: Clock = {
    nowMilliseconds: () => now,
    sleep: (milliseconds, signal) => {
      slept.push(milliseconds)
      return systemClock.sleep(milliseconds, signal)
    },
  }
  const driver = startMarketDriver({
    ...{ chain: { ...world.chain, config }, store: database.store, clock, random: systemRandom },
    ...{ log: openLog('silent'), instance: 'one', isHeard: () => isHeard },
  })
  const pausesFor = async (milliseconds: number) => {
    slept.length = 0
    await until(`it pauses for ${milliseconds} ms`, () => slept.at(-1) === milliseconds, SOON)
  }
  try {
    await until('the first block', () => driver.height() !== null, SOON)
    await pausesFor(400)
    isHeard = true
    await pausesFor(50)
    isHeard = false
    await pausesFor(400)
    world.mine([{ kind: 'open', mint: MINT, native: 10n ** 18n, token: 10n ** 12n }])
    await pausesFor(50)
    now += 60_000
    await pausesFor(400)
  } finally {
    await driver.stop()
  }
})

test('what the follower of the payments is told of a head is read without asking for one, until it has long been silent', async () => {
  const world = openTestMarketChain()
  const network = 'eip155:924' as typeof world.chain.config.network
  const config = { ...world.chain.config, network, blockTimeMilliseconds: 10_000 }
  let [asked, late] = [0, 0]
  const head = async () => {
    asked += 1
    return await world.chain.head()
  }
  const clock: Clock = {
    nowMilliseconds: () => systemClock.nowMilliseconds() + late,
    sleep: (_, signal) => systemClock.sleep(late > 0 ? 10 : 60_000, signal),
  }
  const driver = startMarketDriver({
    ...{ chain: { ...world.chain, config, head }, store: database.store, clock },
    ...{ random: systemRandom, log: openLog('silent'), instance: 'one', isHeard: () => true },
  })
  const tell = async () => driver.noteHead(await world.chain.head())
  try {
    await until('the first head', () => asked === 1, SOON)
    for (let blocks = 1; blocks <= 3; blocks += 1) {
      world.mine()
      await tell()
      await until('it is read', () => driver.height() === world.height(), SOON)
    }
    expect(asked).toBe(1)
    late = 5_001
    world.mine()
    await tell()
    late += 5_001
    await until('it is asked for again', () => asked > 1, SOON)
  } finally {
    await driver.stop()
  }
})
