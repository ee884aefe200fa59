import { afterEach, beforeEach, expect, test } from 'vitest'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Block } from '@florin/server/chains/chain.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { write } from '@florin/server/store/test-write.ts'
import { startDriver } from './driver.ts'
import type { DriverDeps } from './driver.ts'
import { scriptedChain } from './test-chain.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

/** A driver over a chain that has grown by a block whenever somebody asks for its head, unless it grows as the test says. */
function drive(
  watch: NonNullable<DriverDeps['watch']>,
  /** Which branch the node of the n-th look at blocks is on. */
  branchOf: (look: number) => string = () => 'a',
  {
    growth = () => 1n,
    store = database.store,
    clock = systemClock,
    config = testNetwork(84_532),
    showsBlock = false,
  }: {
    growth?: () => bigint
    store?: Store
    clock?: Clock
    config?: NetworkConfig
    /** Whether the answer for its head shows its block. */
    showsBlock?: boolean
  } = {},
) {
  let looks = 0
  let height = 100n
  const blockAt = (at: bigint, branch: string): Block => ({
    height: at,
    hash: `${branch}${at}`,
    parentHash: `${branch}${at - 1n}`,
    timeMilliseconds: 0,
    transactionHashes: [],
  })
  const chain = scriptedChain(config, {
    head: async () => {
      height += growth()
      const shown = showsBlock ? { block: blockAt(height, 'a') } : {}
      return { height, hash: `a${height}`, finalizedHeight: height - 1n, ...shown }
    },
    blocks: async (from, count) => {
      const branch = branchOf((looks += 1))
      return Array.from({ length: count }, (_, index) =>
        blockAt(from + BigInt(index), branch),
      ).filter(({ height: at }) => at <= height)
    },
    outcomes: async () => [],
    lanePosition: async () => ({ latest: 0n, finalized: 0n, finalizedHeight: 0n }),
  })
  const driver = startDriver({
    chain,
    store,
    book: openPaymentBook({ clock: systemClock }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
    broadcaster: { broadcast: async () => [] },
    signerOf: async () => undefined,
    clock,
    killPoint: () => {},
    instance: 'test',
    log: openLog('silent'),
    watch,
  })
  return { ...driver, looksAtBlocks: () => looks }
}

/** How far the database says that it was followed. */
async function heightOf(): Promise<bigint> {
  const [row] = await database.store.query<{ height: string }>(
    'height',
    'select height from followers',
  )
  return BigInt(row?.height ?? -1)
}

/** How far the database says that it is final. */
async function finalizedAt(): Promise<bigint> {
  const [row] = await database.store.query<{ height: string }>(
    'finalized',
    'select finalized_height as height from followers',
  )
  return BigInt(row?.height ?? -1)
}

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

test('blocks are followed while a node takes its time over what else is looked at', async () => {
  const asked: bigint[] = []
  const held = Promise.withResolvers<void>()
  const driver = drive(async (finalizedHeight) => {
    asked.push(finalizedHeight)
    await held.promise
  })
  try {
    await until('it is looked', () => asked.length > 0, { seconds: 30 })
    const at = driver.state().height ?? 0n
    await until('blocks are followed on', () => (driver.state().height ?? 0n) > at + 2n, {
      seconds: 30,
    })
    expect(asked).toHaveLength(1)
  } finally {
    held.resolve()
    await driver.stop()
  }
})

test('a look that fails stops neither the following nor the next look', async () => {
  let looks = 0
  const driver = drive(async () => {
    looks += 1
    throw new Error('nobody answered')
  })
  try {
    await until('it is looked again', () => looks > 1, { seconds: 30 })
    const at = driver.state().height ?? 0n
    await until('blocks are followed on', () => (driver.state().height ?? 0n) > at, { seconds: 30 })
  } finally {
    await driver.stop()
  }
})

test('a node that hangs on another branch does not lend its block to begin at', async () => {
  const driver = drive(
    async () => {},
    (look) => (look === 1 ? 'b' : 'a'),
  )
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    const [row] = await database.store.query<{ block_hash: string; halted_reason: string | null }>(
      'began',
      `select b.block_hash, f.halted_reason from followed_blocks b join followers f using (network)
       order by b.height limit 1`,
    )
    expect(row).toMatchObject({ block_hash: expect.stringMatching(/^a/), halted_reason: null })
  } finally {
    await driver.stop()
  }
})

test('a chain that stands still costs one question for its head, and no look at its blocks', async () => {
  let isStill = false
  let heads = 0
  const { store, begun } = counted()
  const growth = () => {
    heads += 1
    return isStill ? 0n : 1n
  }
  const driver = drive(async () => {}, undefined, { growth, store })
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

test('an instance that has lost its lease moves nothing until it has it again', async () => {
  const driver = drive(async () => {})
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    await write(
      database.store,
      'taken',
      `update followers set lease_owner = 'another', lease_until = now() + interval '1 hour', fence = fence + 1`,
    )
    const at = await heightOf()
    const looks = driver.looksAtBlocks()
    await until('it has heard of that', () => driver.looksAtBlocks() > looks, { seconds: 30 })
    expect(await heightOf()).toBe(at)
    await write(database.store, 'given', `update followers set lease_until = now()`)
    await until('it goes on', async () => (await heightOf()) > at, { seconds: 30 })
  } finally {
    await driver.stop()
  }
})

test('a new block gives rest until the next one is due, and then it is looked for often', async () => {
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 800 }
  let isStill = false
  let now = Date.now()
  let roundMilliseconds = 0
  const slept: number[] = []
  const clock: Clock = {
    ...systemClock,
    nowMilliseconds: () => now,
    sleep: (milliseconds, signal) => {
      slept.push(milliseconds)
      return systemClock.sleep(milliseconds, signal)
    },
  }
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
  const driver = drive(async () => {}, undefined, { growth, clock, config })
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

test('a chain that stands still for long is asked once per block, and as often as ever when it goes on', async () => {
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 48 }
  let isStill = true
  const slept: number[] = []
  const clock: Clock = {
    ...systemClock,
    // From look to look: no round takes any time.
    nowMilliseconds: () => 1_790_000_000_000,
    sleep: (milliseconds, signal) => {
      slept.push(milliseconds)
      return systemClock.sleep(milliseconds, signal)
    },
  }
  const growth = () => (isStill ? 0n : 1n)
  const pauses = () => slept.filter((each) => [24, 48, 42].includes(each))
  const driver = drive(async () => {}, undefined, { growth, clock, config })
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

test('what is final is closed at once after a while, and then no more often than its pause', async () => {
  let now = Date.now()
  const clock: Clock = { ...systemClock, nowMilliseconds: () => now }
  const driver = drive(async () => {}, undefined, { clock })
  const isFollowedOn = async () => {
    const at = driver.state().height ?? 0n
    await until('blocks are followed on', () => (driver.state().height ?? 0n) > at + 3n, {
      seconds: 30,
    })
  }
  const isClosedAbove = (height: bigint) =>
    until('more is final', async () => (await finalizedAt()) > height, { seconds: 30 })
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    await isFollowedOn()
    const first = await finalizedAt()
    now += limits.finalPauseMilliseconds - 1
    await isFollowedOn()
    expect(await finalizedAt()).toBe(first)
    now += 1
    await isClosedAbove(first)
    const second = await finalizedAt()
    // A clock that was set back does not keep it from closing.
    now -= 3_600_000
    await isClosedAbove(second)
  } finally {
    await driver.stop()
  }
})

test('a head decides what is final only when something else has shown its block, too', async () => {
  let branch = 'a'
  let isStill = false
  const growth = () => (isStill ? 0n : 1n)
  const driver = drive(
    async () => {},
    () => branch,
    { growth, showsBlock: true },
  )
  const isFollowedTo = (height: bigint) =>
    until('blocks are followed', () => (driver.state().height ?? 0n) >= height, { seconds: 30 })
  try {
    await isFollowedTo(104n)
    // From now on whoever is asked for a block hangs on another branch.
    branch = 'b'
    await isFollowedTo((driver.state().height ?? 0n) + 3n)
    isStill = true
    const looks = driver.looksAtBlocks()
    await until('it is asked again', () => driver.looksAtBlocks() > looks + 2, { seconds: 30 })
    const head = await heightOf()
    expect(await finalizedAt()).toBe(head - 2n)
    branch = 'a'
    await until('it counts', async () => (await finalizedAt()) === head - 1n, { seconds: 30 })
  } finally {
    await driver.stop()
  }
})

test('a network that an operator halts is not followed on, until it is released', async () => {
  const driver = drive(async () => {})
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    await write(database.store, 'halt', `update followers set halted_reason = 'by hand'`)
    const at = await heightOf()
    await until('it has heard of that', () => !driver.state().following, { seconds: 30 })
    const looks = driver.looksAtBlocks()
    await new Promise((resolve) => setImmediate(resolve))
    expect([await heightOf(), driver.looksAtBlocks()]).toEqual([at, looks])
    await write(database.store, 'release', `update followers set halted_reason = null`)
    await until('it goes on', async () => (await heightOf()) > at, { seconds: 30 })
  } finally {
    await driver.stop()
  }
})

test('an instance whose nodes do not answer lets its lease run out', async () => {
  let isAway = false
  let failures = 0
  const growth = () => {
    if (isAway) {
      failures += 1
      throw new NodeFailure('nobody answers')
    }
    return 1n
  }
  // Long enough that the pauses between failures are shorter than its lease.
  const config = { ...testNetwork(84_532), blockTimeMilliseconds: 700 }
  const driver = drive(async () => {}, undefined, { growth, config })
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    isAway = true
    const lease = async () => {
      const [row] = await database.store.query<{ is_over: boolean; until: string }>(
        'lease',
        'select lease_until < now() as is_over, lease_until::text as until from followers',
      )
      return row
    }
    await until('its rounds fail', () => failures > 0, { seconds: 30 })
    const held = await lease()
    await until('another may have it', async () => (await lease())?.is_over === true, {
      seconds: 30,
    })
    // Not once renewed: between two renewals it would be over for a moment, too.
    expect((await lease())?.until).toBe(held?.until)
  } finally {
    await driver.stop()
  }
})
