import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { openRedis } from '../store/redis.ts'
import type { Redis } from '../store/redis.ts'
import { openTestRedis, redisServer } from '../store/test-redis.ts'
import type { TestRedis } from '../store/test-redis.ts'
import { openSharedWindows } from './shared-windows.ts'
import { openWindows } from './windows.ts'

const MISSING = redisServer() === undefined
const BACK_SECONDS = 60
/** Where it is not about being late, nothing is late on a slow machine. */
const PATIENT = { answerMilliseconds: 10_000, connectMilliseconds: 10_000 }

describe.skipIf(MISSING)('windows in one Redis (skipped when redis-server is not in PATH)', () => {
  let server: TestRedis
  let opened: Redis[] = []
  let printed = ''
  beforeAll(async () => {
    server = await openTestRedis()
  })
  afterEach(() => {
    for (const redis of opened) redis.close()
    opened = []
    printed = ''
  })
  afterAll(() => server.kill())

  const destination = new Writable({
    write: (chunk: Buffer, _, done) => {
      printed += chunk.toString()
      done()
    },
  })
  const linesWith = (text: string) => printed.split('\n').filter((line) => line.includes(text))

  async function anInstance({
    clock = systemClock,
    url = server.url,
    ...bounds
  }: {
    readonly clock?: Clock
    readonly url?: Secret
    readonly answerMilliseconds?: number
    readonly connectMilliseconds?: number
  } = PATIENT) {
    const redis = await openRedis({ url, clock, log: openLog('debug', destination), ...bounds })
    opened.push(redis)
    const windows = openSharedWindows({ redis, alone: openWindows({ clock }) })
    const servedOf = async (count: number, name: string, limit = 100) => {
      const all = await Promise.all(Array.from({ length: count }, () => windows.take(name, limit)))
      return all.filter(({ allowed }) => allowed).length
    }
    return { redis, windows, servedOf }
  }
  const aKey = () => newId(systemRandom, 'key')

  test('two instances serve exactly the limit between them, and say when the window ends alike', async () => {
    const [one, other] = [await anInstance(), await anInstance()]
    const key = aKey()
    const served = await Promise.all([
      one.servedOf(80, key),
      other.servedOf(80, key),
      one.servedOf(40, key),
    ])
    expect(served.reduce((sum, count) => sum + count)).toBe(100)
    const [first, second] = [await one.windows.take(key, 100), await other.windows.take(key, 100)]
    expect(first).toMatchObject({ allowed: false, remaining: 0 })
    expect(second.resetAtMilliseconds).toBe(first.resetAtMilliseconds)
    expect(first.resetAtMilliseconds - first.nowMilliseconds).toBeLessThanOrEqual(60_000)
    expect(await one.servedOf(3, aKey(), 2)).toBe(2)
  })

  test('the server counts by its own time, whatever the clocks of the instances say', async () => {
    const ahead: Clock = { ...systemClock, nowMilliseconds: () => Date.now() + 86_400_000 }
    const [one, other] = [await anInstance(), await anInstance({ clock: ahead, ...PATIENT })]
    const key = aKey()
    const first = await one.windows.take(key, 10)
    const second = await other.windows.take(key, 10)
    expect(second).toMatchObject({ remaining: 8, resetAtMilliseconds: first.resetAtMilliseconds })
  })

  test('a window is forgotten by the server when it ends, and a refused request writes nothing', async () => {
    const { redis, windows } = await anInstance()
    const key = aKey()
    const { resetAtMilliseconds } = await windows.take(key, 1)
    await windows.take(key, 1)
    const look = {
      text: `return {redis.call('HGET', KEYS[1], 'n'), redis.call('PTTL', KEYS[1])}`,
      sha1: '0'.repeat(40),
    }
    const [taken, left] = (await redis.run(look, `florin:rate:${key}`)) as [string, number]
    expect(taken).toBe('1')
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(60_000)
    expect(Math.abs(Date.now() + left - resetAtMilliseconds)).toBeLessThan(60_000)
  })

  test('a server that dies is noticed once; each instance goes on from what it heard, and comes back', async () => {
    const [one, other] = [await anInstance(), await anInstance()]
    const key = aKey()
    expect(await one.servedOf(30, key)).toBe(30)
    expect(await other.servedOf(30, key)).toBe(30)
    await server.kill()
    const served = await Promise.all([one.servedOf(200, key), other.servedOf(200, key)])
    // The one that was asked first has heard of its own 30, the other of all 60.
    expect(served).toEqual([70, 40])
    expect(await one.servedOf(50, key)).toBe(0)
    expect([one.redis.isAway(), other.redis.isAway()]).toEqual([true, true])
    await server.start()
    for (const { redis, windows } of [one, other]) {
      const isBack = async () => {
        await windows.take(aKey(), 1)
        return !redis.isAway()
      }
      await until('Redis is used again', isBack, { seconds: BACK_SECONDS })
    }
    const fresh = aKey()
    const both = await Promise.all([one.servedOf(90, fresh), other.servedOf(90, fresh)])
    expect(both.reduce((sum, count) => sum + count)).toBe(100)
    expect(linesWith('Redis is away')).toHaveLength(2)
    expect(linesWith('Redis is back')).toHaveLength(2)
    expect(printed).not.toContain('canary')
  })

  test('a server that is silent keeps nobody waiting', async () => {
    const bounds = { answerMilliseconds: limits.redisAnswerMilliseconds }
    const { servedOf, redis, windows } = await anInstance({ ...PATIENT, ...bounds })
    const key = aKey()
    expect(await servedOf(60, key)).toBe(60)
    server.pause()
    try {
      expect(await servedOf(100, key)).toBe(40)
      expect(redis.isAway()).toBe(true)
    } finally {
      server.resume()
    }
    const isBack = async () => {
      await windows.take(aKey(), 1)
      return !redis.isAway()
    }
    await until('Redis is used again', isBack, { seconds: BACK_SECONDS })
  })

  test('while it is away only one request at a time finds that out', async () => {
    let now = Date.now()
    const clock: Clock = { ...systemClock, nowMilliseconds: () => now }
    const { redis, servedOf } = await anInstance({ clock, ...PATIENT, answerMilliseconds: 250 })
    server.pause()
    try {
      await servedOf(1, aKey())
      expect(redis.isAway()).toBe(true)
      const script = { text: 'return 1', sha1: 'f'.repeat(40) }
      const causes = async () => {
        const tries = Array.from({ length: 20 }, () => redis.run(script, 'florin:test'))
        const settled = await Promise.allSettled(tries)
        return settled.filter((each) => each.status === 'rejected' && each.reason.cause).length
      }
      expect(await causes()).toBe(0)
      now += limits.redisPauseMilliseconds
      expect(await causes()).toBe(1)
      now -= 3_600_000
      expect(await causes()).toBe(1)
    } finally {
      server.resume()
    }
  })

  test('one that was never there, or refuses the password, is the same, and nothing secret is printed', async () => {
    const wrong = new Secret(server.url.reveal().replace('canary-redis', 'canary-wrong'))
    const nowhere = new Secret('redis://:canary-nowhere@127.0.0.1:1/0')
    for (const url of [wrong, nowhere]) {
      const { servedOf, redis } = await anInstance({ url, connectMilliseconds: 1_000 })
      expect(redis.isAway()).toBe(true)
      expect(await servedOf(150, aKey())).toBe(100)
    }
    expect(linesWith('Redis is away')).toHaveLength(2)
    expect(printed).not.toContain('canary')
  })
})
