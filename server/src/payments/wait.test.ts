import { afterEach, describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { notifyChanged, openListener } from '../store/listen.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import { hasReached } from './carry.ts'
import { openWaits } from './wait.ts'
import type { JustConfirmed } from './wait.ts'

const START = 1_790_000_000_000
const HERE = new AbortController().signal
const payment = { accountId: newId(systemRandom, 'acct'), id: newId(systemRandom, 'pay') }
const confirmed = { payment: { id: payment.id }, blockHash: 'b8', followedHeight: 8n }
const TOLD: JustConfirmed = confirmed as Partial<JustConfirmed> as JustConfirmed
const isConfirmed = (status: Parameters<typeof hasReached>[0]) => hasReached(status, 'confirmed')

/** A row of a payment in a status, as the database gives it. */
const rowIn = (status: string) => ({
  id: payment.id,
  account_id: payment.accountId,
  amount: '1',
  status,
  priority_fee: null,
  fee_ceiling: null,
  commitment: null,
  block_height: null,
  fee_paid: null,
  created_at: new Date(START),
  confirmed_at: null,
  settled_at: null,
  failed_at: null,
})

/** Waits over a payment that a test changes, at a time that a test owns: sleeping ends by a wake-up or by `pass`. */
function aWorld() {
  let now = START
  let status: string | undefined = 'pending'
  let looks = 0
  const callbacks = new Set<(name: string) => void>()
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const hooks = { onLook: () => {} }
  const clock: Clock = {
    nowMilliseconds: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const sleeper = { until: now + milliseconds, wake: resolve }
        const wake = () => {
          sleepers.delete(sleeper)
          resolve()
        }
        sleeper.wake = wake
        if (signal?.aborted) return wake()
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake)
      }),
  }
  const tx = {
    query: async <Row extends object>() => {
      looks += 1
      const rows = status === undefined ? [] : [rowIn(status)]
      hooks.onLook()
      return rows as object[] as Row[]
    },
  }
  const store: Store = {
    query: tx.query,
    write: async () => [],
    inTransaction: (_scope, work) => work(tx),
    reachable: async () => true,
    close: async () => {},
  }
  const waits = openWaits({
    store,
    clock,
    listener: {
      onChanged: (callback) => {
        callbacks.add(callback)
        return () => void callbacks.delete(callback)
      },
      stop: async () => {},
    },
  })
  return {
    waits,
    hooks,
    looks: () => looks,
    sleeping: () => sleepers.size,
    become: (next: string | undefined) => {
      status = next
    },
    notify: (name: string = payment.id) => {
      for (const callback of callbacks) callback(name)
    },
    pass: (milliseconds: number) => {
      now += milliseconds
      for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake()
    },
    wait: (seconds = 10, over = HERE) =>
      waits.until(payment, isConfirmed, { atMilliseconds: START + seconds * 1_000, over }),
  }
}

describe('a wait for a payment', () => {
  test('that is there already does not sleep', async () => {
    const world = aWorld()
    world.become('confirmed')
    expect(await world.wait()).toMatchObject({ status: 'confirmed' })
    expect(world.looks()).toBe(1)
  })

  test('ends with the change, without a second of anybody’s time', async () => {
    const world = aWorld()
    const waiting = world.wait()
    await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
    world.become('confirmed')
    world.notify()
    expect(await waiting).toMatchObject({ status: 'confirmed' })
  })

  test('does not lose a change that comes while it looks', async () => {
    const world = aWorld()
    world.hooks.onLook = () => {
      // The look has read the old row; the change and its notification come before the sleep begins.
      world.become('confirmed')
      world.notify()
    }
    expect(await world.wait()).toMatchObject({ status: 'confirmed' })
    expect(world.looks()).toBe(2)
  })

  test('is not needed to hear of a change', async () => {
    const world = aWorld()
    const heard = world.waits.listen(payment.id)
    const deaf = world.waits.listen(payment.id)
    deaf.end()
    world.notify(newId(systemRandom, 'pay'))
    expect(heard.hasChanged()).toBe(false)
    // Who else waits for it takes nothing away.
    world.become('confirmed')
    await world.wait()
    world.notify()
    expect([heard.hasChanged(), deaf.hasChanged()]).toEqual([true, false])
    heard.end()
  })

  test('does not lose a change that comes while it wakes for another reason', async () => {
    const world = aWorld()
    const waiting = world.wait()
    await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
    world.notify()
    world.become('confirmed')
    world.notify()
    expect(await waiting).toMatchObject({ status: 'confirmed' })
  })

  test('tells whoever reads whether it was told of a change, or looks by itself', async () => {
    const world = aWorld()
    const told: boolean[] = []
    const waiting = world.waits.look(
      payment.id,
      async (hasChanged) => told.push(hasChanged),
      (looks) => looks === 4,
      { atMilliseconds: START + 10_000, over: HERE },
    )
    const next = [() => world.pass(1_000), () => world.notify(), () => world.pass(1_000)]
    for (const happens of next) {
      await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
      happens()
    }
    expect(await waiting).toBe(4)
    expect(told).toEqual([false, false, true, false])
  })

  test('gives whoever sleeps what is told, and takes it for news where somebody is reading just then', async () => {
    const world = aWorld()
    const given: unknown[] = []
    const waiting = world.waits.look(
      payment.id,
      async (hasChanged, each) => {
        if (given.length === 0 || each !== undefined) world.waits.hold([payment.id])([TOLD])
        return given.push(hasChanged ? 'news' : each)
      },
      (looks) => looks === 5,
      { atMilliseconds: START + 10_000, over: HERE },
    )
    const looked = (looks: number) => () => given.length === looks && world.sleeping() === 1
    await until('it sleeps', looked(2), { seconds: 30 })
    world.waits.hold([payment.id])([TOLD])
    await until('it has looked', looked(4), { seconds: 30 })
    world.pass(1_000)
    expect(await waiting).toBe(5)
    expect(given).toEqual([undefined, 'news', TOLD, 'news', undefined])
  })

  test.each([true, false])(
    'hears of news that was held back when it is over, committed: %s',
    async (isCommitted) => {
      const world = aWorld()
      const given: unknown[] = []
      const waiting = world.waits.look(
        payment.id,
        async (hasChanged, each) => given.push(hasChanged ? 'news' : each),
        (looks) => looks === 2,
        { atMilliseconds: START + 10_000, over: HERE },
      )
      const heard = world.waits.listen(payment.id)
      await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
      const release = world.waits.hold([payment.id])
      world.notify()
      expect([world.sleeping(), heard.hasChanged()]).toEqual([1, false])
      release(isCommitted ? [TOLD] : [])
      expect(await waiting).toBe(2)
      expect(given).toEqual([undefined, isCommitted ? TOLD : 'news'])
      expect(heard.hasChanged()).toBe(true)
    },
  )

  test('is not woken by the end of a transaction that told nothing', async () => {
    const world = aWorld()
    const waiting = world.wait()
    await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
    world.waits.hold([payment.id])([])
    expect([world.sleeping(), world.looks()]).toEqual([1, 1])
    world.become('confirmed')
    world.notify()
    await waiting
  })

  test('sees a change whose notification was lost within a second', async () => {
    const world = aWorld()
    const waiting = world.wait()
    await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
    world.become('confirmed')
    world.pass(1_000)
    expect(await waiting).toMatchObject({ status: 'confirmed' })
  })

  test('is over at its deadline, with the payment as it is, and looks once a second meanwhile', async () => {
    const world = aWorld()
    const waiting = world.wait(2.5)
    for (const passing of [1_000, 1_000, 500]) {
      await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
      world.pass(passing)
    }
    expect(await waiting).toMatchObject({ status: 'pending' })
    expect(world.looks()).toBe(4)
    expect(world.waits.count()).toBe(0)
  })

  test('whose time is over before it begins looks once', async () => {
    const world = aWorld()
    expect(await world.wait(0)).toMatchObject({ status: 'pending' })
    expect(world.looks()).toBe(1)
  })

  test('is over when nobody waits any more', async () => {
    const world = aWorld()
    const leaving = new AbortController()
    const waiting = world.wait(10, leaving.signal)
    await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
    leaving.abort()
    expect(await waiting).toMatchObject({ status: 'pending' })
    expect(world.waits.count()).toBe(0)
  })

  test('for a payment that is not there gives nothing', async () => {
    const world = aWorld()
    world.become(undefined)
    expect(await world.wait()).toBeUndefined()
  })

  test('is woken by its own payment alone', async () => {
    const world = aWorld()
    const waiting = world.wait()
    await until('it sleeps', () => world.sleeping() === 1, { seconds: 30 })
    world.notify(newId(systemRandom, 'pay'))
    expect([world.sleeping(), world.looks()]).toEqual([1, 1])
    world.become('confirmed')
    world.notify()
    await waiting
  })

  test('beyond the limit of waiters is answered at once with what is known', async () => {
    const world = aWorld()
    const leaving = new AbortController()
    const waiting = Array.from({ length: limits.waitersMax }, () => world.wait(10, leaving.signal))
    expect(world.waits.count()).toBe(limits.waitersMax)
    expect(await world.wait()).toMatchObject({ status: 'pending' })
    expect(world.waits.count()).toBe(limits.waitersMax)
    leaving.abort()
    await Promise.all(waiting)
    expect(world.waits.count()).toBe(0)
  })

  test('that fails leaves nothing behind', async () => {
    const world = aWorld()
    world.hooks.onLook = () => {
      throw new Error('away')
    }
    await expect(world.wait()).rejects.toThrow('away')
    expect(world.waits.count()).toBe(0)
  })
})

describe('the notification', () => {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.toReversed()) await end()
  })

  test('of a committed change reaches every instance; one that is rolled back reaches none', async () => {
    const database = await openTestDatabase()
    ends.push(() => database.close())
    const heard = [new Set<string>(), new Set<string>()]
    for (const names of heard) {
      const log = openLog('silent')
      const listener = openListener({ url: database.url, clock: systemClock, log })
      listener.onChanged((name) => names.add(name))
      ends.push(() => listener.stop())
    }
    const tell = (names: readonly string[]) =>
      database.store.inTransaction('service', (tx) => notifyChanged(tx, names))
    await until(
      'both listen',
      async () => {
        await tell(['hello'])
        return heard.every((names) => names.has('hello'))
      },
      { seconds: 30 },
    )
    const undone = database.store.inTransaction('service', async (tx) => {
      await notifyChanged(tx, ['undone'])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    // More than one message holds: PostgreSQL takes 8,000 bytes in one.
    const many = Array.from({ length: 500 }, () => newId(systemRandom, 'pay'))
    await tell([...many, 'last'])
    await until('both heard the last', () => heard.every((names) => names.has('last')), {
      seconds: 30,
    })
    for (const names of heard) {
      expect(many.every((name) => names.has(name))).toBe(true)
      expect(names.has('undone')).toBe(false)
    }
  })
})
