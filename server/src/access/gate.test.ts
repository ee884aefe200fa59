import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { route } from '../http/route.ts'
import { assertProblem, isErrorBody, openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import { PLANS, SCOPES } from '../kernel/caller.ts'
import type { Plan, Scope } from '../kernel/caller.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { createKey } from './create-key.ts'
import { openGate } from './gate.ts'
import { makeKey } from './key.ts'
import { openTestDoor } from './test-door.ts'
import type { TestDoor } from './test-door.ts'
import { openWindows } from './windows.ts'

const GOOD = '{"walletAddress":"0xa","recipientAddress":"0xb","amount":1}'
const operations: readonly Endpoint[] = Object.values(endpoints)

let door: TestDoor
let owner: pg.Client
beforeAll(async () => {
  door = await openTestDoor()
  owner = new pg.Client({ connectionString: door.database.ownerUrl.reveal() })
  await owner.connect()
})
beforeEach(() => door.startAnew())
afterAll(async () => {
  await owner.end()
  await door.close()
})

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
    const { text } = await door.aKey('standard')
    const reset = String(Math.ceil((door.time.now + 60_000) / 1000))
    expect(rateOf(await door.status(text))).toEqual([
      '100',
      '99',
      reset,
      '"standard";q=100;w=60',
      '"standard";r=99;t=60',
      null,
    ])
    door.time.now += 29_001
    expect(rateOf(await door.status(text))).toEqual([
      '100',
      '98',
      reset,
      '"standard";q=100;w=60',
      '"standard";r=98;t=31',
      null,
    ])
    const premium = await door.aKey('premium')
    expect(rateOf(await door.status(premium.text)).slice(0, 2)).toEqual(['1000', '999'])
  })

  test('counts and says so whatever it is: refused by scope, malformed, too large, not there', async () => {
    const { text } = await door.aKey('standard', ['write'])
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
    const { text } = await door.aKey('standard')
    const burst = await Promise.all(Array.from({ length: 100 }, () => door.status(text)))
    expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([404]))
    const left = burst.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    door.time.now += 59_499
    const over = await door.status(text)
    assertProblem(over, 'RATE_LIMIT')
    expect(rateOf(over)).toEqual([
      '100',
      '0',
      String(Math.ceil((door.time.now + 501) / 1000)),
      '"standard";q=100;w=60',
      '"standard";r=0;t=1',
      '1',
    ])
    expect(isErrorBody(over.body) && over.body.error).toMatchObject({ retryAfter: 1 })
  })

  test('is not kept out for longer by knocking, and another key of its account is not kept out at all', async () => {
    const { text, accountId } = await door.aKey('standard')
    await Promise.all(Array.from({ length: 100 }, () => door.status(text)))
    for (let second = 0; second < 59; second += 1) {
      door.time.now += 1_000
      const { headers } = await door.status(text)
      expect(headers.get('retry-after')).toBe(String(59 - second))
    }
    const order = { accountId, name: 'other', mode: 'test', plan: 'standard' } as const
    const more = { scopes: SCOPES, expiresAtMilliseconds: null }
    const other = await createKey(door.deps, { ...order, ...more })
    expect((await door.status(other.key.reveal())).headers.get('x-ratelimit-remaining')).toBe('99')
    door.time.now += 1_000
    expect((await door.status(text)).headers.get('x-ratelimit-remaining')).toBe('99')
  })

  test('a request over the limit is not looked at: no body is read, no scope is asked for', async () => {
    const { text } = await door.aKey('standard', ['settle'])
    await Promise.all(Array.from({ length: 100 }, () => door.status(text)))
    assertProblem(await door.status(text), 'RATE_LIMIT')
    assertProblem(await door.send(text, '{'), 'RATE_LIMIT')
  })
})

describe('what the plans are', () => {
  const change = (sql: string) => owner.query(sql)

  test('is data: a change of a number holds within half a second, in the window that is open', async () => {
    const { text } = await door.aKey('premium')
    await door.status(text)
    await change(`update plans set requests_per_minute = 3 where name = 'premium'`)
    door.time.now += limits.keyCacheMilliseconds
    expect(rateOf(await door.status(text)).slice(0, 2)).toEqual(['3', '1'])
    await change(`update plans set requests_per_minute = null where name = 'premium'`)
    door.time.now += limits.keyCacheMilliseconds
    expect(rateOf(await door.status(text))).toEqual(NOTHING)
    await change(`update plans set requests_per_minute = 1000 where name = 'premium'`)
  })

  test('enterprise is unlimited and says nothing, unless a number was agreed with the account', async () => {
    const { text, accountId } = await door.aKey('enterprise')
    for (let request = 0; request < 120; request += 1) {
      expect(rateOf(await door.status(text))).toEqual(NOTHING)
    }
    await change(`update accounts set enterprise_requests_per_minute = 2 where id = '${accountId}'`)
    door.time.now += limits.keyCacheMilliseconds
    expect(rateOf(await door.status(text)).slice(0, 4)).toEqual([
      '2',
      '1',
      String(Math.ceil((door.time.now + 60_000) / 1000)),
      '"enterprise";q=2;w=60',
    ])
    await door.status(text)
    assertProblem(await door.status(text), 'RATE_LIMIT')
    const others = await door.aKey('enterprise')
    expect(rateOf(await door.status(others.text))).toEqual(NOTHING)
  })

  test('the number of an account is for its enterprise keys', async () => {
    const { text, accountId } = await door.aKey('standard')
    await change(`update accounts set enterprise_requests_per_minute = 5 where id = '${accountId}'`)
    expect((await door.status(text)).headers.get('x-ratelimit-limit')).toBe('100')
  })

  test('an operation is taken from one plan, and given to it again, without touching the others', async () => {
    const [standard, premium] = [await door.aKey('standard'), await door.aKey('premium')]
    await change(`insert into plan_operations values ('standard', 'paymentStatus', false)`)
    const refused = await door.status(standard.text)
    assertProblem(refused, 'FORBIDDEN')
    expect(refused.body).toMatchObject({
      error: { details: { plan: 'standard does not include paymentStatus' } },
    })
    assertProblem(await door.status(premium.text), 'NOT_FOUND')
    assertProblem(await door.send(standard.text, GOOD), 'NOT_FOUND')
    await change(`update plan_operations set included = true`)
    door.time.now += limits.keyCacheMilliseconds
    assertProblem(await door.status(standard.text), 'NOT_FOUND')
    await change(`delete from plan_operations`)
    door.time.now += limits.keyCacheMilliseconds
    assertProblem(await door.status(standard.text), 'NOT_FOUND')
  })

  test('cannot be nonsense, and a plan that keys have cannot go', async () => {
    await door.aKey('premium')
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
  const withKey = operations.flatMap((endpoint: Endpoint) =>
    endpoint.needs !== null && 'scope' in endpoint.needs
      ? [{ ...endpoint, needs: endpoint.needs }]
      : [],
  )
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
      routes: withKey.map((endpoint) =>
        route(endpoint, () => Promise.reject(new Refusal('NOT_FOUND'))),
      ),
      gate: openGate({
        authenticator: { authenticate },
        addresses: { count: () => undefined, countFile: () => undefined },
        windows: openWindows({ clock: door.clock }),
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
      const scope = endpoint.needs.scope
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
      const needed = endpoint.needs.plan
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
