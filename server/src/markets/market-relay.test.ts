import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openMarketFeed } from '../events/market-feed.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import type { Tx } from '../store/postgres.ts'
import { startMarketRelay } from './market-relay.ts'

/** The looks at the database within so many pauses, of a relay that nobody tells anything. */
async function looksWithin(pauses: number, isHeard: boolean): Promise<number> {
  let [looks, slept] = [0, 0]
  const over = Promise.withResolvers<void>()
  const tx: Tx = { query: async () => [] }
  const unused = () => Promise.reject(new Error('nobody asks'))
  const feed = openMarketFeed()
  if (isHeard) feed.join(() => undefined)
  const relay = startMarketRelay({
    store: {
      inTransaction: async (_, work) => {
        looks += 1
        return await work(tx)
      },
      ...{ query: unused, write: unused, reachable: unused, close: unused },
    },
    listener: { onChanged: () => () => undefined, stop: async () => undefined },
    feed,
    networks: [testNetwork([]).network],
    clock: {
      ...systemClock,
      sleep: async (milliseconds) => {
        expect(milliseconds).toBe(limits.marketLookAgainMilliseconds)
        await nextTurn()
        slept += 1
        if (slept < pauses) return
        over.resolve()
        await nextTurn()
      },
    },
    log: openLog('silent'),
  })
  await over.promise
  await relay.stop()
  return looks
}

test('market events are looked for without being told of any: often while somebody listens, seldom while nobody does', async () => {
  const pauses = 60
  expect(await looksWithin(pauses, true)).toBeGreaterThanOrEqual(pauses - 1)
  const seldom = limits.marketUnheardLookMilliseconds / limits.marketLookAgainMilliseconds
  const looks = await looksWithin(pauses, false)
  expect(looks).toBeGreaterThanOrEqual(pauses / seldom - 1)
  expect(looks).toBeLessThanOrEqual(pauses / seldom + 1)
})
