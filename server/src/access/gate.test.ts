import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { readTrustedProxies } from '../http/client-address.ts'
import { route } from '../http/route.ts'
import { assertProblem, isErrorBody, openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import { PLANS, SCOPES } from '../kernel/caller.ts'
import type { Plan, Scope } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openAddressLimit } from './address-limit.ts'
import { openAuthenticator } from './authenticate.ts'
import { createAccount } from './create-account.ts'
import { createKey } from './create-key.ts'
import { deleteKey } from './delete-key.ts'
import { openGate } from './gate.ts'
import { openKeyBatch } from './key-batch.ts'
import { makeKey } from './key.ts'
import { listKeys } from './list-keys.ts'
import { openWindows } from './windows.ts'

/** So that Reset, in whole seconds, is seen to be rounded up. */
const START = 1_790_000_000_250
const HERE = '203.0.113.9'
const GOOD = '{"walletAddress":"0xa","recipientAddress":"0xb","amount":1}'
const pepper = new SecretBytes(new Uint8Array(systemRandom.bytes(32)))
const proxies = readTrustedProxies('127.0.0.0/8')
const operations: readonly Endpoint[] = Object.values(endpoints)
const notThere = () => Promise.reject(new Refusal('NOT_FOUND'))

let database: TestDatabase
let now = START
const clock: Clock = { ...systemClock, nowMilliseconds: () => now }
const deps = () => ({ store: database.store, clock, random: systemRandom, pepper })

type Door = Awaited<ReturnType<typeof openDoor>>
let door: Door
let owner: pg.Client

beforeAll(async () => {
  database = await openTestDatabase()
  door = await openDoor()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
})
beforeEach(() => {
  // Every window of the test before is over.
  now += limits.rateWindowSeconds * 1000
  now -= (now - START) % 1000
  Object.assign(door.seen, { lookUps: 0, batches: 0 })
})
afterAll(async () => {
  await owner.end()
  await door.close()
  await database.close()
})

/** Nothing but a gate: whatever passes it is answered 404. */
async function openDoor() {
  const seen = { lookUps: 0, batches: 0 }
  const query: Store['query'] = (name, sql, values) => {
    if (name === 'access_find_key') seen.lookUps += 1
    if (name === 'access_find_keys') seen.batches += 1
    return database.store.query(name, sql, values)
  }
  const store = { ...database.store, query }
  const addresses = openAddressLimit({ windows: openWindows({ clock }) })
  const log = openLog('silent')
  const authenticator = openAuthenticator({ ...deps(), store, log, addresses })
  const server = await openTestServer({
    routes: [route(endpoints.sendPayment, notThere), route(endpoints.paymentStatus, notThere)],
    gate: openGate({ authenticator, addresses, windows: openWindows({ clock }) }),
    trustedProxies: proxies.ok ? proxies.proxies : { includes: () => false, none: true },
    clock,
  })
  return {
    ...server,
    seen,
    status: (key: string, from: string = HERE) =>
      server.ask('GET', '/payment/status/pay_1', { headers: headersOf(key, from) }),
    from: (path: string, from: string, method = 'GET') =>
      server.ask(method, path, { headers: headersOf('', from) }),
    send: (key: string, body: string, more: Record<string, string> = {}) =>
      server.ask('POST', '/payment/send', {
        body,
        headers: { ...headersOf(key, HERE), 'content-type': 'application/json', ...more },
      }),
    close: async () => {
      await server.close()
      await authenticator.close()
    },
  }
}

function headersOf(key: string, from: string): Record<string, string> {
  return { authorization: key === '' ? '' : `Bearer ${key}`, 'x-forwarded-for': from }
}

async function aKey(plan: Plan, scopes: readonly Scope[] = SCOPES) {
  const { accountId } = await createAccount(deps(), 'Sellers')
  const order = { accountId, name: 'till', mode: 'test', plan, scopes } as const
  const { key } = await createKey(deps(), { ...order, expiresAtMilliseconds: null })
  return { accountId, text: key.reveal() }
}

const RATE_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
  'retry-after',
]
const rateOf = ({ headers }: Answered) => RATE_HEADERS.map((name) => headers.get(name))
const NOTHING = RATE_HEADERS.map(() => null)

describe('every answer to a good key', () => {
  test('says where its window stands, in the old headers and the new fields', async () => {
    const { text } = await aKey('standard')
    const reset = String(Math.ceil((now + 60_000) / 1000))
    expect(rateOf(await door.status(text))).toEqual([
      '100',
      '99',
      reset,
      '"standard";q=100;w=60',
      '"standard";r=99;t=60',
      null,
    ])
    now += 29_001
    expect(rateOf(await door.status(text))).toEqual([
      '100',
      '98',
      reset,
      '"standard";q=100;w=60',
      '"standard";r=98;t=31',
      null,
    ])
    const premium = await aKey('premium')
    expect(rateOf(await door.status(premium.text)).slice(0, 2)).toEqual(['1000', '999'])
  })

  test('counts and says so whatever it is: refused by scope, malformed, too large, not there', async () => {
    const { text } = await aKey('standard', ['write'])
    const { send } = door
    const answers: readonly (readonly [number, Promise<Answered> | Answered])[] = [
      [403, await door.status(text)],
      [400, await send(text, '{')],
      [400, await send(text, '{"walletAddress":1}')],
      [413, await send(text, ' '.repeat(70_000))],
      [415, await send(text, GOOD, { 'content-type': 'text/plain' })],
      [400, await send(text, GOOD, { 'idempotency-key': 'a b' })],
      [404, await send(text, GOOD)],
    ]
    for (const [index, [status, answered]] of answers.entries()) {
      const { status: was, headers } = await answered
      expect(was).toBe(status)
      expect(headers.get('x-ratelimit-remaining')).toBe(String(99 - index))
      expect(headers.get('ratelimit')).toBe(`"standard";r=${99 - index};t=60`)
    }
  })

  test('does not say anything about a window when the key is not good', async () => {
    for (const key of ['', 'x', makeKey(systemRandom, 'test').text.reveal()]) {
      const answered = await door.status(key)
      assertProblem(answered, 'UNAUTHORIZED')
      expect(rateOf(answered)).toEqual(NOTHING)
    }
  })
})

describe('a standard key', () => {
  test('has 100 requests in a window, all at once as well; the next is 429 and says when to come back', async () => {
    const { text } = await aKey('standard')
    const burst = await Promise.all(Array.from({ length: 100 }, () => door.status(text)))
    expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([404]))
    const left = burst.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    now += 59_499
    const over = await door.status(text)
    assertProblem(over, 'RATE_LIMIT')
    expect(rateOf(over)).toEqual([
      '100',
      '0',
      String(Math.ceil((now + 501) / 1000)),
      '"standard";q=100;w=60',
      '"standard";r=0;t=1',
      '1',
    ])
    expect(isErrorBody(over.body) && over.body.error).toMatchObject({ retryAfter: 1 })
  })

  test('is not kept out for longer by knocking, and another key of its account is not kept out at all', async () => {
    const { text, accountId } = await aKey('standard')
    await Promise.all(Array.from({ length: 100 }, () => door.status(text)))
    for (let second = 0; second < 59; second += 1) {
      now += 1_000
      const { headers } = await door.status(text)
      expect(headers.get('retry-after')).toBe(String(59 - second))
    }
    const order = { accountId, name: 'other', mode: 'test', plan: 'standard' } as const
    const more = { scopes: SCOPES, expiresAtMilliseconds: null }
    const other = await createKey(deps(), { ...order, ...more })
    expect((await door.status(other.key.reveal())).headers.get('x-ratelimit-remaining')).toBe('99')
    now += 1_000
    expect((await door.status(text)).headers.get('x-ratelimit-remaining')).toBe('99')
  })

  test('a request over the limit is not looked at: no body is read, no scope is asked for', async () => {
    const { text } = await aKey('standard', ['settle'])
    await Promise.all(Array.from({ length: 100 }, () => door.status(text)))
    assertProblem(await door.status(text), 'RATE_LIMIT')
    assertProblem(await door.send(text, '{'), 'RATE_LIMIT')
  })
})

describe('what the plans are', () => {
  const change = (sql: string) => owner.query(sql)

  test('is data: a change of a number holds within half a second, in the window that is open', async () => {
    const { text } = await aKey('premium')
    await door.status(text)
    await change(`update plans set requests_per_minute = 3 where name = 'premium'`)
    now += limits.keyCacheMilliseconds
    expect(rateOf(await door.status(text)).slice(0, 2)).toEqual(['3', '1'])
    await change(`update plans set requests_per_minute = null where name = 'premium'`)
    now += limits.keyCacheMilliseconds
    expect(rateOf(await door.status(text))).toEqual(NOTHING)
    await change(`update plans set requests_per_minute = 1000 where name = 'premium'`)
  })

  test('enterprise is unlimited and says nothing, unless a number was agreed with the account', async () => {
    const { text, accountId } = await aKey('enterprise')
    for (let request = 0; request < 120; request += 1) {
      expect(rateOf(await door.status(text))).toEqual(NOTHING)
    }
    await change(`update accounts set enterprise_requests_per_minute = 2 where id = '${accountId}'`)
    now += limits.keyCacheMilliseconds
    expect(rateOf(await door.status(text)).slice(0, 4)).toEqual([
      '2',
      '1',
      String(Math.ceil((now + 60_000) / 1000)),
      '"enterprise";q=2;w=60',
    ])
    await door.status(text)
    assertProblem(await door.status(text), 'RATE_LIMIT')
    const others = await aKey('enterprise')
    expect(rateOf(await door.status(others.text))).toEqual(NOTHING)
  })

  test('the number of an account is for its enterprise keys', async () => {
    const { text, accountId } = await aKey('standard')
    await change(`update accounts set enterprise_requests_per_minute = 5 where id = '${accountId}'`)
    expect((await door.status(text)).headers.get('x-ratelimit-limit')).toBe('100')
  })

  test('an operation is taken from one plan, and given to it again, without touching the others', async () => {
    const [standard, premium] = [await aKey('standard'), await aKey('premium')]
    await change(`insert into plan_operations values ('standard', 'paymentStatus', false)`)
    const refused = await door.status(standard.text)
    assertProblem(refused, 'FORBIDDEN')
    expect(refused.body).toMatchObject({
      error: { details: { plan: 'standard does not include paymentStatus' } },
    })
    assertProblem(await door.status(premium.text), 'NOT_FOUND')
    assertProblem(await door.send(standard.text, GOOD), 'NOT_FOUND')
    await change(`update plan_operations set included = true`)
    now += limits.keyCacheMilliseconds
    assertProblem(await door.status(standard.text), 'NOT_FOUND')
    await change(`delete from plan_operations`)
    now += limits.keyCacheMilliseconds
    assertProblem(await door.status(standard.text), 'NOT_FOUND')
  })

  test('cannot be nonsense, and a plan that keys have cannot go', async () => {
    await aKey('premium')
    for (const sql of [
      `update plans set requests_per_minute = 0`,
      `update accounts set enterprise_requests_per_minute = 0`,
      `insert into plan_operations values ('gold', 'paymentStatus', true)`,
      `delete from plans where name = 'premium'`,
    ]) {
      await expect(change(sql), sql).rejects.toThrow()
    }
  })
})

describe('every operation', () => {
  const withKey = operations.filter(({ needs }) => needs !== null)
  let server: Awaited<ReturnType<typeof openTestServer>>
  beforeAll(async () => {
    const [accountId, keyId] = [newId(systemRandom, 'acct'), newId(systemRandom, 'key')]
    // The key says who it is: `Bearer premium read write`.
    const authenticate = async ([value = '']: readonly string[]) => {
      const words = value.split(' ')
      const plan = PLANS.find((each) => words.includes(each)) ?? 'standard'
      const scopes = new Set(SCOPES.filter((each) => words.includes(each)))
      const exceptions = new Map<string, boolean>()
      return { accountId, keyId, plan, scopes, requestsPerMinute: null, exceptions }
    }
    server = await openTestServer({
      routes: withKey.map((endpoint) => route(endpoint, notThere)),
      gate: openGate({
        authenticator: { authenticate },
        addresses: { count: () => undefined },
        windows: openWindows({ clock }),
      }),
    })
  })
  afterAll(() => server.close())
  const ask = ({ method, path }: Endpoint, plan: Plan, scopes: readonly Scope[]) =>
    server.ask(method, path.replaceAll(/\{\w+\}/g, 'x'), {
      headers: { authorization: `Bearer ${plan} ${scopes.join(' ')}` },
    })

  test('refuses a key that has all scopes but its own, naming it, and takes one that has its own alone', async () => {
    for (const endpoint of withKey) {
      const scope = endpoint.needs?.scope ?? 'admin'
      const others = SCOPES.filter((each) => each !== scope)
      const lacking = await ask(endpoint, 'enterprise', others)
      assertProblem(lacking, 'FORBIDDEN')
      expect(lacking.body).toMatchObject({ error: { details: { scope: `needs ${scope}` } } })
      expect((await ask(endpoint, 'enterprise', [scope])).status, endpoint.id).not.toBe(403)
      assertProblem(await ask(endpoint, 'enterprise', []), 'FORBIDDEN')
    }
  })

  test('is open to exactly the plan that its row names and to higher ones', async () => {
    for (const endpoint of withKey) {
      const needed = endpoint.needs?.plan ?? 'standard'
      for (const plan of PLANS) {
        const answered = await ask(endpoint, plan, SCOPES)
        const isOpen = PLANS.indexOf(plan) >= PLANS.indexOf(needed)
        expect(answered.status === 403, `${endpoint.id} for ${plan}`).toBe(!isOpen)
        if (isOpen) continue
        expect(answered.body).toMatchObject({ error: { details: { plan: `needs ${needed}` } } })
      }
    }
  })
})

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
    now += 60_000
    assertProblem(await door.status(badKey()), 'UNAUTHORIZED')
  })

  test('does not keep a neighbour with a known key out, and counts nobody else', async () => {
    const [known, fresh] = [await aKey('standard'), await aKey('standard')]
    assertProblem(await door.status(known.text), 'NOT_FOUND')
    await Promise.all(Array.from({ length: 200 }, () => door.status(badKey())))
    now += 10_000
    expect(limits.keyCacheMilliseconds).toBeLessThan(10_000)
    expect(door.seen.batches).toBeGreaterThan(0)
    door.seen.batches = 0
    assertProblem(await door.status(known.text), 'NOT_FOUND')
    assertProblem(await door.status(badKey(), '203.0.113.10'), 'UNAUTHORIZED')
    expect(door.seen.batches).toBe(0)
    // One that nobody has seen waits a moment, once.
    assertProblem(await door.status(fresh.text), 'NOT_FOUND')
    expect(door.seen.batches).toBe(1)
    now += 10_000
    assertProblem(await door.status(fresh.text), 'NOT_FOUND')
    expect(door.seen.batches).toBe(1)
  })

  test('a deleted key is out at once for a flooded address as well', async () => {
    const { text, accountId } = await aKey('standard')
    assertProblem(await door.status(text), 'NOT_FOUND')
    await Promise.all(Array.from({ length: 150 }, () => door.status(badKey())))
    const [facts] = await listKeys(deps(), accountId)
    if (facts === undefined) throw new Error('the key is not listed')
    await deleteKey(deps(), facts)
    now += limits.keyCacheMilliseconds
    assertProblem(await door.status(text), 'UNAUTHORIZED')
    assertProblem(await door.status(text), 'RATE_LIMIT')
  })

  test('those that wait together are bounded, end with the service, and hear when the database is away', async () => {
    const held = Promise.withResolvers<void>()
    const query: Store['query'] = async (name, sql, values) => {
      await held.promise
      return database.store.query(name, sql, values)
    }
    const batch = openKeyBatch({ store: { ...database.store, query }, clock })
    const digest = () => systemRandom.bytes(32)
    const all = Array.from({ length: limits.keyBatchMax }, () => batch.find(digest()))
    expect(await batch.find(digest())).toBeUndefined()
    held.resolve()
    await batch.close()
    expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]))

    const away = () => Promise.reject(new Error('away'))
    const lost = openKeyBatch({ store: { ...database.store, query: away }, clock })
    await expect(lost.find(digest())).rejects.toThrow('away')
  })

  test('a good key costs its address nothing, however many there are and however often they come', async () => {
    const keys = await Promise.all(Array.from({ length: 120 }, () => aKey('standard')))
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
    const { text } = await aKey('standard')
    assertProblem(await door.status(text), 'NOT_FOUND')
    expect((await door.from('/health/live', HERE)).status).toBe(200)
  })

  test('an IPv6 subscriber is one address', () => {
    const { count } = openAddressLimit({ windows: openWindows({ clock }) })
    for (let host = 0; host < limits.keylessRequestsPerAddress; host += 1) {
      count(`2001:db8:7:7::${host.toString(16)}`)
    }
    expect(() => count('2001:db8:7:7:ffff::1')).toThrow(Refusal)
    count('2001:db8:7:8::1')
  })

  test('a database that is away costs no good key its look-ups', async () => {
    const addresses = openAddressLimit({ windows: openWindows({ clock }) })
    const query = () => Promise.reject(new Error('away'))
    const store = { ...database.store, query }
    const log = openLog('silent')
    const { authenticate } = openAuthenticator({ ...deps(), store, log, addresses })
    for (let request = 0; request < 2 * limits.keyLookUpsPerAddress; request += 1) {
      await expect(authenticate([`Bearer ${badKey()}`], HERE)).rejects.toThrow('away')
    }
  })

  test('all addresses together have a bounded number of look-ups', () => {
    const { countLookUp } = openAddressLimit({ windows: openWindows({ clock }) })
    for (let count = 0; count < limits.keyLookUpsPerInstance; count += 1) {
      const address = `198.${count >> 16}.${(count >> 8) & 255}.${count & 255}`
      if (!countLookUp(address).allowed) throw new Error(`refused after ${count}`)
    }
    expect(countLookUp(HERE)).toMatchObject({ allowed: false, refusal: { code: 'RATE_LIMIT' } })
  })
})
