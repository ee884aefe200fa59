import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Chain, HistoryLook } from '@florin/server/chains/chain.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import type { LogFacts } from '@florin/server/kernel/log-fields.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { startDriver } from './driver.ts'
import { scriptedChain } from './test-chain.ts'
import { openFoundPlace } from './test-found.ts'
import { warnOfFound } from './warn-found.ts'

const START = 1_800_000_000_000
const OLD = limits.foundUnseenSeconds * 1000
const INTERVAL = limits.foundWarnedSeconds * 1000

let database: TestDatabase
let lanes = 0
let place: Awaited<ReturnType<typeof openFoundPlace>>
let warnings: LogFacts[]
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  place = await openFoundPlace(database.store, 3_000_000 + (lanes += 1))
  warnings = []
})

const log = {
  ...openLog('silent'),
  warn: (facts: LogFacts) => void warnings.push(facts),
}

/** One instance of the service; its memory is its own. */
function anInstance(chain: Chain = place.lane.chain) {
  const warned = new Map<string, number>()
  const { store } = database
  return {
    warned,
    at: async (nowMilliseconds: number): Promise<number> => {
      const clock = { ...systemClock, nowMilliseconds: () => nowMilliseconds }
      const before = warnings.length
      await warnOfFound({ chain, store, clock, log }, warned)
      return warnings.length - before
    },
  }
}

describe('a place that a node found and nobody saw mined', () => {
  test('is warned of once it is old enough, with what a person needs to look', async () => {
    await place.look('one', START)
    await place.look('two', START + 5_000)
    const instance = anInstance()
    expect(await instance.at(START + OLD - 1)).toBe(0)
    expect(await instance.at(START + OLD)).toBe(1)
    const { network, attempt } = place
    expect(warnings).toEqual([
      {
        network,
        address: attempt.laneAddress,
        nonce: String(attempt.nonce),
        hash: attempt.hash,
        node: 'one two',
        seconds: limits.foundUnseenSeconds,
      },
    ])
  })

  test('is warned of at most once in an interval, however often it is looked at', async () => {
    await place.look('one', START)
    const instance = anInstance()
    const first = START + OLD
    expect(await instance.at(first)).toBe(1)
    for (const later of [1, INTERVAL / 2, INTERVAL - 1]) {
      expect(await instance.at(first + later)).toBe(0)
    }
    expect(await instance.at(first + INTERVAL)).toBe(1)
    expect(await instance.at(first + INTERVAL + 1)).toBe(0)
  })

  test('is forgotten when it is seen after all', async () => {
    await place.look('one', START)
    const instance = anInstance()
    expect(await instance.at(START + OLD)).toBe(1)
    await place.mine()
    expect(await instance.at(START + OLD + INTERVAL)).toBe(0)
    expect(instance.warned.size).toBe(0)
  })

  test('concerns its own network only', async () => {
    await place.look('one', START)
    const other = await openFoundPlace(database.store, 3_000_000 + (lanes += 1))
    expect(await anInstance(other.lane.chain).at(START + OLD)).toBe(0)
  })

  test('is not one that nodes only looked for', async () => {
    await place.look('one', START, false)
    expect(await anInstance().at(START + OLD)).toBe(0)
  })

  test('is looked at for days and fills no table', async () => {
    for (let count = 0; count < 5; count += 1) {
      await place.look('one', START + count, count > 1)
      await place.look('two', START + count, count > 2)
      await place.look('three', START + count, false)
    }
    const looks = await database.store.query<{ node: string; found: boolean }>(
      'test_looks',
      `select node, found from expiry_looks where attempt_id = $1 order by looked_at, node`,
      [place.attempt.attemptId],
    )
    expect(looks.filter(({ found }) => found).map(({ node }) => node)).toEqual(['one', 'two'])
    // One of each of the three before anybody found it, since their chain stood still, and the first find of each that did.
    expect(looks).toHaveLength(5)
  })

  test('is warned of by who drives its network', async () => {
    const now = systemClock.nowMilliseconds()
    await place.look('one', now - 2 * OLD)
    const { model, lane } = place
    const { height, hash } = model.tip()
    const found: HistoryLook = { node: 'one', finalizedHeight: 101n, height: 0n, found: true }
    const chain = scriptedChain(lane.chain.config, {
      head: async () => ({ height, hash, finalizedHeight: height }),
      blocks: async (from, count) => model.blocks(from, count, height),
      outcomes: lane.chain.outcomes,
      renewal: {
        kind: 'lifetime',
        lifetimeOf: () => 100n,
        lookBack: async (hashes) => hashes.map(() => [found]),
        deadFrom: async (asked) => asked.map(() => 0n),
      },
    })
    const driver = startDriver({
      chain,
      store: database.store,
      book: openPaymentBook({ clock: systemClock }),
      deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
      broadcaster: { broadcast: async (_network, sent) => sent.map(() => ({ kind: 'accepted' })) },
      signerOf: async () => undefined,
      clock: systemClock,
      killPoint: () => {},
      instance: 'test',
      log,
    })
    try {
      await until('it is warned of', async () => warnings.length > 0, { seconds: 30 })
      expect(warnings).toMatchObject([{ hash: place.attempt.hash, node: 'one' }])
    } finally {
      await driver.stop()
    }
  })
})
