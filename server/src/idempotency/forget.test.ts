import { expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import { startForgetting } from './forget.ts'

const HOUR = limits.forgetSeconds * 1000

/** Nothing is old in it. */
const EMPTY: Store = {
  inTransaction: (_scope, work) => work({ query: () => Promise.resolve([]) }),
  query: () => Promise.resolve([]),
  write: () => Promise.resolve([]),
  reachable: () => Promise.resolve(true),
  close: () => Promise.resolve(),
}

/** A clock whose pauses take no time. Its hours end with their signal only: `hour` says that one has begun. */
function openClock() {
  const pauses: number[] = []
  const hour = Promise.withResolvers<void>()
  const clock: Clock = {
    nowMilliseconds: () => 0,
    sleep: async (milliseconds, signal) => {
      if (milliseconds < HOUR) {
        pauses.push(milliseconds)
        return
      }
      hour.resolve()
      await systemClock.sleep(milliseconds, signal)
    },
  }
  return { clock, pauses, hour: hour.promise }
}

test('what one room cannot forget keeps no other from forgetting', async () => {
  const database = await openTestDatabase()
  const forgotten: number[] = []
  const stop = startForgetting({
    store: database.store,
    clock: systemClock,
    log: openLog('silent'),
    others: [
      () => Promise.reject(new Error('not now')),
      async (_tx, nowMilliseconds) => {
        forgotten.push(nowMilliseconds)
        return false
      },
    ],
  })
  try {
    await until('the other has forgotten', () => forgotten.length > 0, { seconds: 30 })
    expect(forgotten).toHaveLength(1)
  } finally {
    await stop()
    await database.close()
  }
})

test('a room that has more removes it in the same look, in turn with the others', async () => {
  const { clock, pauses, hour } = openClock()
  const turns: string[] = []
  const room = (name: string, count: number) => {
    let left = count
    return async () => {
      turns.push(name)
      left -= 1
      return left > 0
    }
  }
  const others = [room('long', 4), room('short', 2), room('once', 1)]
  const stop = startForgetting({ store: EMPTY, clock, log: openLog('silent'), others })
  await hour
  await stop()
  expect(turns).toEqual(['long', 'short', 'once', 'long', 'short', 'long', 'long'])
  expect(pauses).toEqual([1, 2, 3].map(() => limits.forgetPauseMilliseconds))
})

test('a room that never comes to an end is left for the next look', async () => {
  const { clock, hour } = openClock()
  let rounds = 0
  const endless = async () => {
    rounds += 1
    return true
  }
  const others = [endless]
  const stop = startForgetting({ store: EMPTY, clock, log: openLog('silent'), others })
  await hour
  await stop()
  expect(rounds).toBe(limits.forgetRoundsMax)
})

test('stopping ends a look in which more waits', async () => {
  const { clock } = openClock()
  let rounds = 0
  let stop = () => Promise.resolve()
  const stopped = Promise.withResolvers<void>()
  const endless = async () => {
    rounds += 1
    if (rounds === 3) void stop().then(stopped.resolve)
    return true
  }
  const others = [endless]
  stop = startForgetting({ store: EMPTY, clock, log: openLog('silent'), others })
  await stopped.promise
  expect(rounds).toBe(3)
})
