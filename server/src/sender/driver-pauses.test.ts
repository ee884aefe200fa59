import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@florin/server/kernel/clock.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import { until } from '@florin/server/kernel/until.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { hearing } from '@florin/server/store/test-hearing.ts'
import { drive } from './test-driver.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

/** The store of a driver, with how often a transaction was begun. */
function counted(): { store: Store; begun: () => number } {
  let count = 0
  const { store } = database
  return {
    begun: () => count,
    store: {
      ...store,
      inTransaction: (scope, work) => {
        count += 1
        return store.inTransaction(scope, work)
      },
    },
  }
}

/** A clock of the test's own time, with how long each sleep on it was to be. */
function recorded(nowMilliseconds: () => number): { clock: Clock; slept: number[] } {
  const slept: number[] = []
  const clock: Clock = {
    ...systemClock,
    nowMilliseconds,
    sleep: (milliseconds, signal) => {
      slept.push(milliseconds)
      return systemClock.sleep(milliseconds, signal)
    },
  }
  return { clock, slept }
}

test('a chain that stands still costs one question for its head, and no look at its blocks', async () => {
  let isStill = false
  let heads = 0
  const { store, begun } = counted()
  const growth = () => {
    heads += 1
    return isStill ? 0n : 1n
  }
  const driver = drive(store, async () => {}, undefined, { growth })
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    isStill = true
    const behind = heads
    await until('its last block is read', () => heads > behind + 2, { seconds: 30 })
    const before = { heads, looks: driver.looksAtBlocks(), begun: begun() }
    await until('its head was asked for again and again', () => heads > before.heads + 20, {
      seconds: 30,
    })
    expect(driver.looksAtBlocks()).toBe(before.looks)
    // The lease is renewed, and bytes and lanes are looked at, at a pace of their own.
    expect(begun() - before.begun).toBeLessThan(heads - before.heads)
    expect(driver.state().following).toBe(true)
  } finally {
    await driver.stop()
  }
})

test('a new block gives rest until the next one is due, and then it is looked for often', async () => {
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 800 }
  let isStill = false
  let now = Date.now()
  let roundMilliseconds = 0
  const { clock, slept } = recorded(() => now)
  const growth = () => {
    now += roundMilliseconds
    return isStill ? 0n : 1n
  }
  const isSleptFor = (milliseconds: number, times = 1) =>
    until(
      `it pauses for ${milliseconds} ms`,
      () => slept.filter((each) => each === milliseconds).length >= times,
      { seconds: 30 },
    )
  const driver = drive(database.store, async () => {}, undefined, { growth, clock, config })
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    await isSleptFor(700)
    expect(slept).not.toContain(100)
    // The time that a round takes is not added to it.
    roundMilliseconds = 650
    await isSleptFor(50)
    roundMilliseconds = 690
    await isSleptFor(20)
    // Nor is a slow node asked without a break.
    expect(slept).not.toContain(100)
    roundMilliseconds = 900
    await isSleptFor(100)
    roundMilliseconds = 0
    slept.length = 0
    isStill = true
    await isSleptFor(100, 3)
  } finally {
    await driver.stop()
  }
})

test('a chain whose block is overdue is looked at again as soon as something was sent, once for all that was sent', async () => {
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 800 }
  let isStill = false
  let heads = 0
  let now = Date.now()
  const { clock, slept } = recorded(() => now)
  const growth = () => {
    heads += 1
    return isStill ? 0n : 1n
  }
  const dueLooks = () => slept.filter((each) => each === 100).length
  const driver = drive(database.store, async () => {}, undefined, { growth, clock, config })
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    isStill = true
    await until('it is looked for evenly', () => slept.includes(400), { seconds: 30 })
    slept.length = 0
    driver.expect()
    expect(dueLooks(), 'its block is not due yet').toBe(0)
    now += 800
    const looked = heads
    for (let sent = 0; sent < 20; sent += 1) driver.expect()
    expect(dueLooks()).toBe(1)
    await until('it is looked for often again', () => dueLooks() > 1, { seconds: 30 })
    expect(heads).toBeGreaterThan(looked)
  } finally {
    await driver.stop()
  }
})

test('who does not follow looks for nothing that was sent', async () => {
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 800 }
  let now = Date.now()
  const { clock, slept } = recorded(() => now)
  const scene = { growth: () => 0n, config }
  const leader = drive(database.store, async () => {}, undefined, scene)
  try {
    await until('it is followed', () => leader.state().height !== null, { seconds: 30 })
    const other = drive(database.store, async () => {}, undefined, {
      ...{ ...scene, clock },
      instance: 'other',
    })
    try {
      await until('the other looks evenly', () => slept.includes(400), { seconds: 30 })
      expect(other.state().height).toBeNull()
      now += 800
      slept.length = 0
      other.expect()
      expect(slept).toEqual([])
    } finally {
      await other.stop()
    }
  } finally {
    await leader.stop()
  }
})

test('a chain that stands still for long is asked once per block, and as often as ever when it goes on', async () => {
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 48 }
  let isStill = true
  // From look to look: no round takes any time.
  const { clock, slept } = recorded(() => 1_790_000_000_000)
  const growth = () => (isStill ? 0n : 1n)
  const pauses = () => slept.filter((each) => [24, 48, 42].includes(each))
  const driver = drive(database.store, async () => {}, undefined, { growth, clock, config })
  try {
    await until('it stands still', () => pauses().includes(48), { seconds: 30 })
    expect(pauses().filter((each) => each === 24)).toHaveLength(56)
    slept.length = 0
    await until('it still does', () => pauses().length >= 5, { seconds: 30 })
    expect(new Set(pauses())).toEqual(new Set([48]))
    isStill = false
    await until('it goes on', () => pauses().includes(42), { seconds: 30 })
    isStill = true
    slept.length = 0
    await until('it is looked for evenly again', () => pauses().includes(24), { seconds: 30 })
  } finally {
    await driver.stop()
  }
})

test('on a chain of quick blocks, places that hold their lane up are looked for at a pace of their own', async () => {
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 50 }
  let now = Date.now()
  let heads = 0
  let looks = 0
  const { store } = database
  const counting = hearing(store, (name) => {
    if (name === 'attempts_lane_fronts') looks += 1
    return undefined
  })
  const growth = () => {
    heads += 1
    return 1n
  }
  const clock: Clock = { ...systemClock, nowMilliseconds: () => now }
  const driver = drive(counting, async () => {}, undefined, { growth, clock, config })
  try {
    const blocksCome = async (count: number) => {
      const before = heads
      await until('more blocks have come', () => heads > before + count, { seconds: 30 })
    }
    // For both: who holds a lane up, and who else uses one.
    await until('it has looked', () => looks > 1, { seconds: 30 })
    await blocksCome(2)
    const looked = looks
    await blocksCome(10)
    expect(looks).toBe(looked)
    now += 400
    await until('it has looked again', () => looks > looked, { seconds: 30 })
    await blocksCome(2)
    // The clock was set back.
    now -= 3_600_000
    await until('it looks as before', () => looks > looked + 1, { seconds: 30 })
  } finally {
    await driver.stop()
  }
})
