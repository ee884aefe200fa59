import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Terms } from '../chains/chain.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { signTest, testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { bumpStuck } from './bump.ts'
import type { Waiting } from './bump.ts'
import { scriptedChain } from './test-chain.ts'
import { openPlaces } from './test-places.ts'

const config = testNetwork(84_532)
const { network } = config
const STUCK_SINCE = 100n
const STUCK = STUCK_SINCE + BigInt(config.fees.bumpAfterBlocks)
const STUCK_MILLISECONDS = config.fees.bumpAfterBlocks * config.blockTimeMilliseconds
const RAISED = JSON.parse('{"fee":"2"}') as Terms

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

const attempts = async () => {
  const rows = await database.store.query<{ number: number }>(
    'attempts',
    'select number from attempts where number > 1',
  )
  return rows.length
}

/** Places that all hold their lane up, and how often the next attempt of one was priced and sent. */
async function openStuck(lanes: number, broadcast = async () => {}) {
  const { store } = database
  await openPlaces(store, network, lanes)
  const at = { underWay: 0, most: 0 }
  let now = systemClock.nowMilliseconds()
  const deps = {
    chain: scriptedChain(config, {
      renew: async () => {
        at.underWay += 1
        at.most = Math.max(at.most, at.underWay)
        return RAISED
      },
      sign: async (terms, nonce, { address }) => signTest(terms, nonce, address),
    }),
    store,
    broadcaster: {
      broadcast: async () => {
        await broadcast()
        at.underWay -= 1
        return []
      },
    },
    clock: { ...systemClock, nowMilliseconds: () => now },
    log: openLog('silent'),
    killPoint: () => undefined,
    signerOf: async (address: string) => ({
      address,
      sign: async () => new Uint8Array(),
      erase: () => undefined,
    }),
  }
  const waiting: Waiting = new Map()
  await bumpStuck(deps, waiting, STUCK_SINCE)
  /** Looks again when so many blocks have come, after as long as they are expected to take. */
  const bump = (isOver?: () => boolean, milliseconds = STUCK_MILLISECONDS) => {
    now += milliseconds
    return bumpStuck(deps, waiting, STUCK, isOver)
  }
  return { at, waiting, bump }
}

test('no fee is raised because blocks come ten times as quickly as expected', async () => {
  const { bump } = await openStuck(1)
  await bump(undefined, STUCK_MILLISECONDS / 10)
  expect(await attempts()).toBe(0)
  await bump(undefined, STUCK_MILLISECONDS)
  expect(await attempts()).toBe(1)
})

test('a clock that was set back keeps no fee from being raised', async () => {
  const { bump } = await openStuck(1)
  await bump(undefined, -3_600_000)
  expect(await attempts()).toBe(1)
})

test('a broadcast that takes its time keeps no other lane from its fee, and only so many are under way', async () => {
  const { renewalsAtOnceMax } = limits
  const held = Promise.withResolvers<void>()
  let sent = 0
  const { at, bump } = await openStuck(renewalsAtOnceMax + 3, async () => {
    sent += 1
    // Nobody's is over before that many have been sent.
    if (sent === renewalsAtOnceMax) held.resolve()
    await held.promise
  })
  await bump()
  expect(at.most).toBe(renewalsAtOnceMax)
  expect(await attempts()).toBe(renewalsAtOnceMax + 3)
})

test('nothing is signed anew any more once it is over', async () => {
  const { renewalsAtOnceMax } = limits
  let isOver = false
  const { bump } = await openStuck(renewalsAtOnceMax + 3, async () => {
    isOver = true
  })
  await bump(() => isOver)
  expect(await attempts()).toBe(renewalsAtOnceMax)
  await bump()
  expect(await attempts()).toBe(renewalsAtOnceMax + 3)
})

test('a fee is raised however many lanes wait, and whatever was sent again meanwhile', async () => {
  const { bump, waiting } = await openStuck(2 * limits.laneFrontsMax)
  // As sending again does with those that were not sent for longest.
  await write(
    database.store,
    'sent',
    `update attempts set last_sent_at = now() from chain_transactions t
     where t.id = chain_transaction_id and t.lane_address = any($1)`,
    [[...waiting.keys()]],
  )
  await bump()
  expect(await attempts()).toBe(limits.laneFrontsMax)
})

test('one lane whose fee cannot be raised keeps no other from it', async () => {
  const { bump } = await openStuck(3, async () => {
    throw new Error('away')
  })
  await bump()
  expect(await attempts()).toBe(3)
})
