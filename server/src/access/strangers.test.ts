import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import { assertProblem } from '../http/test-server.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import { openAddressLimit } from './address-limit.ts'
import { openAuthenticator } from './authenticate.ts'
import { deleteKey } from './delete-key.ts'
import { openKeyBatch } from './key-batch.ts'
import { makeKey } from './key.ts'
import { listKeys } from './list-keys.ts'
import { HERE, openTestDoor } from './test-door.ts'
import type { TestDoor } from './test-door.ts'
import { openWindows } from './windows.ts'

let door: TestDoor
beforeAll(async () => {
  door = await openTestDoor()
})
beforeEach(() => door.startAnew())
afterAll(() => door.close())

describe('what comes without a good key', () => {
  const badKey = () => makeKey(systemRandom, 'test').text.reveal()

  test('a flood of keys that nobody has costs no more look-ups than an address has, and few queries for all others', async () => {
    const flood = await Promise.all(Array.from({ length: 300 }, () => door.status(badKey())))
    expect(door.seen.lookUps).toBe(limits.keyLookUpsPerAddress)
    expect(door.seen.batches).toBeLessThan(40)
    const statuses = Map.groupBy(flood, ({ status }) => status)
    expect(statuses.get(401)).toHaveLength(limits.keyLookUpsPerAddress)
    const refused = statuses.get(429) ?? []
    expect(refused).toHaveLength(300 - limits.keyLookUpsPerAddress)
    for (const answered of refused) {
      assertProblem(answered, 'RATE_LIMIT')
      expect(answered.headers.get('retry-after')).toBe('60')
      expect(answered.headers.has('x-ratelimit-limit')).toBe(false)
    }
    door.time.now += 60_000
    assertProblem(await door.status(badKey()), 'UNAUTHORIZED')
  })

  test('does not keep a neighbour with a known key out, and counts nobody else', async () => {
    const [known, fresh] = [await door.aKey('standard'), await door.aKey('standard')]
    assertProblem(await door.status(known.text), 'NOT_FOUND')
    await Promise.all(Array.from({ length: 200 }, () => door.status(badKey())))
    door.time.now += 10_000
    expect(limits.keyCacheMilliseconds).toBeLessThan(10_000)
    expect(door.seen.batches).toBeGreaterThan(0)
    door.seen.batches = 0
    assertProblem(await door.status(known.text), 'NOT_FOUND')
    assertProblem(await door.status(badKey(), '203.0.113.10'), 'UNAUTHORIZED')
    expect(door.seen.batches).toBe(0)
    // One that nobody has seen waits a moment, once.
    assertProblem(await door.status(fresh.text), 'NOT_FOUND')
    expect(door.seen.batches).toBe(1)
    door.time.now += 10_000
    assertProblem(await door.status(fresh.text), 'NOT_FOUND')
    expect(door.seen.batches).toBe(1)
  })

  test('a deleted key is out at once for a flooded address as well', async () => {
    const { text, accountId } = await door.aKey('standard')
    assertProblem(await door.status(text), 'NOT_FOUND')
    await Promise.all(Array.from({ length: 150 }, () => door.status(badKey())))
    const [facts] = await listKeys(door.deps, accountId)
    if (facts === undefined) throw new Error('the key is not listed')
    await deleteKey(door.deps, facts)
    door.time.now += limits.keyCacheMilliseconds
    assertProblem(await door.status(text), 'UNAUTHORIZED')
    assertProblem(await door.status(text), 'RATE_LIMIT')
  })

  test('those that wait together are bounded, end with the service, and hear when the database is away', async () => {
    const held = Promise.withResolvers<void>()
    const query: Store['query'] = async (name, sql, values) => {
      await held.promise
      return door.database.store.query(name, sql, values)
    }
    const batch = openKeyBatch({ store: { ...door.database.store, query }, clock: door.clock })
    const digest = () => systemRandom.bytes(32)
    const all = Array.from({ length: limits.keyBatchMax }, () => batch.find(digest()))
    expect(await batch.find(digest())).toBeUndefined()
    held.resolve()
    await batch.close()
    expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]))

    const away = () => Promise.reject(new Error('away'))
    const lost = openKeyBatch({ store: { ...door.database.store, query: away }, clock: door.clock })
    await expect(lost.find(digest())).rejects.toThrow('away')
  })

  test('a good key costs its address nothing, however many there are and however often they come', async () => {
    const keys = await Promise.all(Array.from({ length: 120 }, () => door.aKey('standard')))
    for (const { text } of keys) assertProblem(await door.status(text), 'NOT_FOUND')
    assertProblem(await door.status(badKey()), 'UNAUTHORIZED')
  })

  test('missing and malformed keys, and paths that are not there, are counted by address, without a look-up', async () => {
    const each = limits.keylessRequestsPerAddress / 3
    const answered = await Promise.all(
      Array.from({ length: each }, () => [
        door.status(''),
        door.from('/nothing', HERE),
        door.from('/payment/send', HERE, 'PUT'),
      ]).flat(),
    )
    const statuses = Map.groupBy(answered, ({ status }) => status)
    expect([...statuses].map(([status, { length }]) => [status, length])).toEqual([
      [401, each],
      [404, each],
      [405, each],
    ])
    expect(door.seen.lookUps).toBe(0)
    assertProblem(await door.status('x'), 'RATE_LIMIT')
    assertProblem(await door.from('/nothing', HERE), 'RATE_LIMIT')
    assertProblem(await door.from('/nothing', '203.0.113.10'), 'NOT_FOUND')
    const { text } = await door.aKey('standard')
    assertProblem(await door.status(text), 'NOT_FOUND')
    expect((await door.from('/health/live', HERE)).status).toBe(200)
  })

  test('the files of a page are counted for themselves, so that visitors behind one address shut nobody out', async () => {
    const files = async (count: number) => {
      const answered = await Promise.all(
        Array.from({ length: count }, (_, index) => door.from(`/page/${index}.js`, HERE)),
      )
      return new Set(answered.map(({ status }) => status))
    }
    const batch = 500
    for (let read = 0; read < limits.filesPerAddress; read += batch) {
      expect(await files(batch)).toEqual(new Set([200]))
    }
    assertProblem(await door.from('/page/more.js', HERE), 'RATE_LIMIT')
    assertProblem(await door.from('/nothing', HERE), 'NOT_FOUND')
    expect((await door.from('/page', '203.0.113.10')).status).toBe(200)
    door.startAnew()
    const lost = Array.from({ length: limits.keylessRequestsPerAddress }, () =>
      door.from('/nothing', HERE),
    )
    for (const answered of await Promise.all(lost)) assertProblem(answered, 'NOT_FOUND')
    assertProblem(await door.from('/nothing', HERE), 'RATE_LIMIT')
    expect((await door.from('/page', HERE)).status).toBe(200)
  })

  test('an IPv6 subscriber is one address', () => {
    const { count } = openAddressLimit({ windows: openWindows({ clock: door.clock }) })
    for (let host = 0; host < limits.keylessRequestsPerAddress; host += 1) {
      count(`2001:db8:7:7::${host.toString(16)}`)
    }
    expect(() => count('2001:db8:7:7:ffff::1')).toThrow(Refusal)
    count('2001:db8:7:8::1')
  })

  test('a database that is away costs no good key its look-ups', async () => {
    const addresses = openAddressLimit({ windows: openWindows({ clock: door.clock }) })
    const query = () => Promise.reject(new Error('away'))
    const store = { ...door.database.store, query }
    const log = openLog('silent')
    const { authenticate } = openAuthenticator({ ...door.deps, store, log, addresses })
    for (let request = 0; request < 2 * limits.keyLookUpsPerAddress; request += 1) {
      await expect(authenticate([`Bearer ${badKey()}`], HERE)).rejects.toThrow('away')
    }
  })

  test('all addresses together have a bounded number of look-ups', () => {
    const { countLookUp } = openAddressLimit({ windows: openWindows({ clock: door.clock }) })
    for (let count = 0; count < limits.keyLookUpsPerInstance; count += 1) {
      const address = `198.${count >> 16}.${(count >> 8) & 255}.${count & 255}`
      if (!countLookUp(address).allowed) throw new Error(`refused after ${count}`)
    }
    expect(countLookUp(HERE)).toMatchObject({ allowed: false, refusal: { code: 'RATE_LIMIT' } })
  })
})
