import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Terms } from '@florin/server/chains/chain.ts'
import { until } from '@florin/server/kernel/until.ts'
import { signTest, testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { drive } from './test-driver.ts'
import { openPlaces } from './test-places.ts'

const config = testNetwork(84_532)
const RAISED = JSON.parse('{"fee":"2"}') as Terms

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
  await openPlaces(database.store, config.network, 1)
})
afterEach(() => database.close())

/** Follows on while something hangs, and then ends. */
async function followsWhile(
  what: string,
  isHanging: () => boolean,
  held: PromiseWithResolvers<void>,
  scene: NonNullable<Parameters<typeof drive>[3]>,
): Promise<void> {
  const driver = drive(database.store, async () => {}, undefined, scene)
  try {
    await until(what, isHanging, { seconds: 30 })
    const at = driver.state().height ?? 0n
    await until('blocks are followed on', () => (driver.state().height ?? 0n) > at + 2n, {
      seconds: 30,
    })
    expect(driver.state().following).toBe(true)
  } finally {
    held.resolve()
    await driver.stop()
  }
}

test('blocks are followed while a node takes its time over the lanes', async () => {
  const held = Promise.withResolvers<void>()
  let asked = 0
  const lanePosition = async () => {
    asked += 1
    await held.promise
    return { latest: 0n, finalized: 0n, finalizedHeight: 0n }
  }
  await followsWhile('lanes are looked at', () => asked > 0, held, { chain: { lanePosition } })
  expect(asked).toBe(1)
})

test('blocks are followed while a node takes its time over bytes whose fee was raised', async () => {
  const held = Promise.withResolvers<void>()
  let sent = 0
  await followsWhile('raised bytes are sent', () => sent > 0, held, {
    chain: {
      renew: async () => RAISED,
      sign: async (terms, nonce, { address }) => signTest(terms, nonce, address),
    },
    others: {
      signerOf: async (address) => ({
        address,
        sign: async () => new Uint8Array(),
        erase: () => undefined,
      }),
      broadcaster: {
        broadcast: async (_, committed) => {
          // What is sent again goes beside the rounds anyway.
          if (committed.some(({ isFound = false }) => !isFound)) {
            sent += 1
            await held.promise
          }
          return []
        },
      },
    },
  })
  expect(sent).toBe(1)
})

test('a fee is raised in its time where no block comes any more behind some that came quickly', async () => {
  let [looks, raised] = [0, 0]
  const driver = drive(database.store, async () => {}, undefined, {
    config: { ...config, blockTimeMilliseconds: 4_000 },
    // Some chains make none as long as nothing gets in.
    growth: () => ((looks += 1) <= 4 ? 2n : 0n),
    chain: {
      renew: async () => {
        raised += 1
        return RAISED
      },
    },
  })
  try {
    await until('the fee is raised', () => raised > 0, { seconds: 30 })
    expect(looks).toBeGreaterThan(4)
  } finally {
    await driver.stop()
  }
})
