import { makeKey } from '@florin/server/access/key.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { openTestRedis, redisServer } from '@florin/server/store/test-redis.ts'
import type { TestRedis } from '@florin/server/store/test-redis.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openClient } from './actors/client.ts'
import type { Client, Reply } from './actors/client.ts'
import type { ServiceHandle } from './actors/service.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const MISSING = redisServer() === undefined

describe.skipIf(MISSING)('two instances and a Redis (skipped without redis-server in PATH)', () => {
  let redis: TestRedis
  let world: World
  let services: readonly ServiceHandle[]
  beforeAll(async () => {
    redis = await openTestRedis()
    const redisUrl = redis.url.reveal()
    world = await openWorld({ redisUrl })
    services = [world.service(), await world.start({ redisUrl })]
  })
  afterAll(async () => {
    await world.stop()
    await redis.kill()
  })

  const clientsOf = (key: 'standard' | 'premium' | 'enterprise') =>
    services.map(({ baseUrl, apiKeys }) => openClient(baseUrl, apiKeys[key]))
  /** Some at a time, from one instance and the other in turn. */
  async function ask(clients: readonly Client[], times: number): Promise<readonly Reply[]> {
    const replies: Reply[] = []
    while (replies.length < times) {
      replies.push(...(await Promise.all(clients.map((client) => client.get('/wallets')))))
    }
    return replies
  }
  const wasAway = () =>
    services.some(({ log }) => log.some((line) => line.includes('Redis is away')))

  test('serve a standard key exactly 100 requests in its window between them', async () => {
    const replies = await ask(clientsOf('standard'), 120)
    const served = replies.filter(({ status }) => status === 200)
    // On a machine so slow that Redis counted as away, each counts for itself.
    expect(served.length).toBeGreaterThanOrEqual(100)
    expect(served.length).toBeLessThanOrEqual(wasAway() ? 120 : 100)
    const left = served.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    if (!wasAway()) expect(new Set(left).size).toBe(100)
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      expect([reply.status, codeOf(reply)]).toEqual([429, 'RATE_LIMIT'])
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(reply.headers.get('ratelimit-policy')).toBe('"standard";q=100;w=60')
    }
  })

  test('an enterprise key without a number is not counted', async () => {
    for (const { status, headers } of await ask(clientsOf('enterprise'), 120)) {
      expect(status).toBe(200)
      expect(headers.has('x-ratelimit-limit')).toBe(false)
    }
  })

  test('a flood of keys that nobody has is stopped by its address, and keeps known keys in', async () => {
    const { baseUrl } = world.service()
    const statuses = new Set<number>()
    // A window that ends in the middle of the flood begins one more.
    const most = 2 * limits.keyLookUpsPerAddress + 1
    for (let request = 0; request < most && !statuses.has(429); request += 1) {
      const stranger = openClient(baseUrl, makeKey(systemRandom, 'test').text.reveal())
      statuses.add((await stranger.get('/wallets')).status)
    }
    expect(statuses).toEqual(new Set([401, 429]))
    const known = await ask(clientsOf('enterprise'), 2)
    expect(known.map(({ status }) => status)).toEqual([200, 200])
  })

  test('go on without it when it dies', async () => {
    await redis.kill()
    for (const { status, headers } of await ask(clientsOf('premium'), 20)) {
      expect(status).toBe(200)
      expect(headers.get('x-ratelimit-limit')).toBe('1000')
    }
    expect(wasAway()).toBe(true)
    expect((await world.client().get('/health/ready')).status).toBe(200)
  })
})
