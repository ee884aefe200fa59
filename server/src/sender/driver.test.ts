import { afterEach, beforeEach, expect, test } from 'vitest'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Renewal } from '@florin/server/chains/chain.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { until } from '@florin/server/kernel/until.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { write } from '@florin/server/store/test-write.ts'
import type { BuildBook } from './build-book.ts'
import { drive } from './test-driver.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

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

test('blocks are followed while a node takes its time over what else is looked at', async () => {
  const asked: bigint[] = []
  const held = Promise.withResolvers<void>()
  const driver = drive(database.store, async (finalizedHeight) => {
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

test('a clock that was set back keeps nobody from looking', async () => {
  let now = Date.now()
  let looks = 0
  const clock: Clock = { ...systemClock, nowMilliseconds: () => now }
  const driver = drive(
    database.store,
    async () => {
      looks += 1
    },
    undefined,
    { clock },
  )
  try {
    await until('it is looked', () => looks > 0, { seconds: 30 })
    now -= 3_600_000
    const looked = looks
    await until('it is looked again', () => looks > looked, { seconds: 30 })
  } finally {
    await driver.stop()
  }
})

test('a look that fails stops neither the following nor the next look', async () => {
  let looks = 0
  const driver = drive(database.store, async () => {
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
    database.store,
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

test('an instance that has lost its lease moves nothing until it has it again', async () => {
  const driver = drive(database.store, async () => {})
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    await write(
      database.store,
      'taken',
      `update followers set lease_owner = 'another', lease_until = now() + interval '1 minute', fence = fence + 1`,
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

test('what is final is closed at once after a while, and then no more often than its pause', async () => {
  let now = Date.now()
  const clock: Clock = { ...systemClock, nowMilliseconds: () => now }
  const driver = drive(database.store, async () => {}, undefined, { clock })
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
    database.store,
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
  const driver = drive(database.store, async () => {})
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
  const driver = drive(database.store, async () => {}, undefined, { growth, config })
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

test('what nobody could read of a build is asked for again by whoever follows its network', async () => {
  let looks = 0
  const nothing = async () => undefined
  const builds: BuildBook = {
    ...{ hasLive: async () => false, final: async () => 0 },
    watched: async () => ({ senders: new Set(), commitments: new Set() }),
    ...{ hold: nothing, sighted: nothing, undone: nothing },
    untold: {
      places: async () => {
        looks += 1
        return []
      },
      told: nothing,
    },
  }
  const renewal: Renewal = {
    ...{ kind: 'lifetime', lifetimeOf: () => 0n },
    lookBack: async (hashes) => hashes.map(() => []),
    deadFrom: async (asked) => asked.map(() => undefined),
  }
  const driver = drive(database.store, nothing, undefined, {
    chain: { renewal },
    others: { builds },
  })
  try {
    await until('it is looked for', () => looks > 0, { seconds: 30 })
  } finally {
    await driver.stop()
  }
})

test('an instance that waits for the lease says since when nobody reads', async () => {
  let now = Date.now()
  let isStuck = false
  let top = 100n
  let shown = 0
  const growthTo = (heightOf: () => bigint) => {
    let last = 100n
    return () => {
      const grown = heightOf() - last
      last += grown
      return grown
    }
  }
  // Its node shows a head and refuses its blocks, so it keeps the lease and reads nothing.
  const leader = drive(
    database.store,
    async () => {},
    () => {
      if (isStuck) throw new NodeFailure('no blocks')
      return 'a'
    },
    { instance: 'leader', growth: growthTo(() => (top += 1n)) },
  )
  await until('it is followed', () => leader.state().height !== null, { seconds: 30 })
  const waiting = drive(database.store, async () => {}, undefined, {
    instance: 'waiting',
    clock: { ...systemClock, nowMilliseconds: () => now },
    growth: growthTo(() => {
      shown += 1
      return top
    }),
  })
  const readAt = () => waiting.state().readAtMilliseconds
  const looks = async (count: number) => {
    const before = shown
    await until('it has looked again', () => shown > before + count, { seconds: 30 })
  }
  try {
    await until('all is read', () => readAt() === now, { seconds: 30 })
    isStuck = true
    await until('nothing is read', () => !leader.state().following, { seconds: 30 })
    // What was shown before is all that it may still find read.
    await looks(2)
    now += 60_000
    await looks(2)
    expect(readAt()).toBe(now - 60_000)
    isStuck = false
    await until('all is read again', () => readAt() === now, { seconds: 30 })
    expect(waiting.state().height).toBe(null)
  } finally {
    await Promise.all([leader.stop(), waiting.stop()])
  }
})
