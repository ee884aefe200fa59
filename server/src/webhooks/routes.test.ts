import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import { assertProblem, openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import type { AccountId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { write } from '../store/test-write.ts'
import { forgetDeliveries } from './delivery-store.ts'
import { redeliverRange } from './repeat.ts'
import { webhookRoutes } from './routes.ts'
import { openTestEndpoint, openTestWebhooks } from './test-webhooks.ts'
import type { TestEndpoint, TestWebhooks } from './test-webhooks.ts'

const SECONDS = 60
const keyId = newId(systemRandom, 'key')
let room: TestWebhooks
let sandbox: Awaited<ReturnType<typeof openTestServer>>
let production: typeof sandbox
let endpoint: TestEndpoint
let alice: AccountId
let bob: AccountId

beforeAll(async () => {
  room = await openTestWebhooks()
  endpoint = await openTestEndpoint()
  room.start()
  const authenticate = async ([value]: readonly string[]) => {
    const accountId = { 'Bearer alice': alice, 'Bearer bob': bob }[value ?? '']
    if (accountId === undefined) throw new Refusal('UNAUTHORIZED')
    const plan = 'standard' as const
    return { accountId, keyId, plan, scopes: new Set(['read', 'write'] as const) }
  }
  const { deps } = room
  sandbox = await openTestServer({ authenticate, routes: webhookRoutes(deps) })
  const routes = webhookRoutes({ ...deps, sandbox: false })
  production = await openTestServer({ authenticate, routes })
})
beforeEach(async () => {
  alice = await room.newAccount()
  bob = await room.newAccount()
})
afterAll(async () => {
  await sandbox.close()
  await production.close()
  await endpoint.close()
  await room.close()
})

interface Asked {
  readonly body?: unknown
  readonly as?: 'alice' | 'bob'
  readonly key?: string
}
const ask = (
  method: string,
  path: string,
  { body, as = 'alice', key }: Asked = {},
  server = sandbox,
) =>
  server.ask(method, path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${as}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  })
const field = ({ body }: Answered, name: string): unknown => Reflect.get(Object(body), name)

async function make(more: object = {}, asked: Asked = {}) {
  const answer = await ask('POST', '/webhooks', { body: { url: endpoint.url, ...more }, ...asked })
  expect(answer.status).toBe(200)
  const webhookId = String(field(answer, 'webhookId'))
  return { answer, webhookId, path: `/webhooks/${webhookId}` }
}

async function firstDelivery(path: string) {
  const page = await ask('GET', `${path}/deliveries?limit=1`)
  const [delivery] = field(page, 'deliveries') as readonly Record<string, unknown>[]
  return delivery
}

test('a secret is shown to whoever asked for it: not read again, and not in the database', async () => {
  const first = await make({ types: ['payment'], description: 'orders' }, { key: 'one' })
  const secret = String(field(first.answer, 'secret'))
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/)
  const again = await make({ types: ['payment'], description: 'orders' }, { key: 'one' })
  expect(again.webhookId).toBe(first.webhookId)
  expect(again.answer.headers.get('idempotent-replayed')).toBe('true')
  expect(field(again.answer, 'secret')).toBe(secret)
  const other = { body: { url: endpoint.url }, key: 'one' }
  assertProblem(await ask('POST', '/webhooks', other), 'IDEMPOTENCY_MISMATCH')
  const read = await ask('GET', first.path)
  expect(read.body).toMatchObject({ types: ['payment'], description: 'orders', status: 'active' })
  expect(JSON.stringify([read.body, (await ask('GET', '/webhooks')).body])).not.toContain('whsec_')
  const rows = await room.database.store.inTransaction('service', (tx) =>
    tx.query<{ row: string }>('test_rows', 'select webhooks::text as row from webhooks'),
  )
  const hex = Buffer.from(secret).toString('hex')
  expect(rows.some(({ row }) => row.includes(secret) || row.includes(hex))).toBe(false)
})

test('a rotation whose answer was lost shows its secret again, as long as that secret signs', async () => {
  const { answer, path } = await make({}, { key: 'lost' })
  const rotate = (key: string, previousValidSeconds = 60) =>
    ask('POST', `${path}/rotate`, { body: { previousValidSeconds }, key })
  const first = await rotate('first')
  const shown = field(first, 'secret')
  expect(shown).not.toBe(field(answer, 'secret'))
  expect(field(await rotate('first'), 'secret')).toBe(shown)
  const second = field(await rotate('second'), 'secret')
  expect([field(await rotate('first'), 'secret'), second === shown]).toEqual([shown, false])
  await rotate('third', 0)
  const late = await rotate('first')
  expect(late.headers.get('idempotent-replayed')).toBe('true')
  expect(field(late, 'secret')).toBeNull()
  expect(field(await rotate('second'), 'secret')).toBeNull()
})

test('another account sees, changes and repeats nothing, and it looks as if there were nothing', async () => {
  const { path } = await make()
  const sent = await ask('POST', `${path}/test`)
  const deliveryId = String(field(sent, 'deliveryId'))
  const as = 'bob' as const
  for (const [method, where, body] of [
    ['GET', path, undefined],
    ['PATCH', path, { enabled: false }],
    ['DELETE', path, undefined],
    ['POST', `${path}/rotate`, {}],
    ['POST', `${path}/test`, undefined],
    ['GET', `${path}/deliveries`, undefined],
    ['POST', `${path}/deliveries/${deliveryId}/redeliver`, undefined],
    ['POST', `${path}/redeliver`, { from: 0, status: 'all' }],
  ] as const) {
    assertProblem(await ask(method, where, { body, as }), 'NOT_FOUND')
  }
  expect(field(await ask('GET', '/webhooks', { as }), 'webhooks')).toEqual([])
  const own = await make({}, { as })
  const stolen = `${own.path}/deliveries/${deliveryId}/redeliver`
  assertProblem(await ask('POST', stolen, { as }), 'NOT_FOUND')
})

test('the database itself shows an account no row of another', async () => {
  const { path } = await make()
  await ask('POST', `${path}/test`)
  const count = (scope: AccountId | 'service') =>
    room.database.store.inTransaction(scope, async (tx) => {
      const rows = await tx.query<{ count: string }>(
        'test_walls',
        `select (select count(*) from webhooks where account_id = $1)
           + (select count(*) from webhook_deliveries where account_id = $1) as count`,
        [alice],
      )
      return Number(rows[0]?.count)
    })
  expect([await count(alice), await count('service'), await count(bob)]).toEqual([2, 2, 0])
})

test('an account has as many webhooks as its plan allows, also when it asks at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: limits.webhooksStandardMax + 3 }, () =>
      ask('POST', '/webhooks', { body: { url: endpoint.url } }),
    ),
  )
  const taken = answers.filter(({ status }) => status === 200)
  expect(taken).toHaveLength(limits.webhooksStandardMax)
  const refused = answers.find(({ status }) => status !== 200)
  if (refused === undefined) throw new Error('none was refused')
  assertProblem(refused, 'INVALID_PARAMETERS')
  const gone = `/webhooks/${String(field(taken[0] ?? refused, 'webhookId'))}`
  expect((await ask('DELETE', gone)).status).toBe(200)
  assertProblem(await ask('GET', gone), 'NOT_FOUND')
  await make()
})

test.each([
  ['http://shop.example/', 'must begin with https://'],
  ['https://user:secret@shop.example/', 'must not have a user or password'],
  ['https://shop.example:8443/', 'must be on port 443'],
  ['ftp://shop.example/', undefined],
  ['shop.example', undefined],
])('outside the sandbox %s is no address for webhooks', async (url, rule) => {
  const answer = await ask('POST', '/webhooks', { body: { url } }, production)
  assertProblem(answer, 'INVALID_PARAMETERS')
  if (rule !== undefined) expect(field(answer, 'error')).toMatchObject({ details: { url: rule } })
  const { path } = await make()
  assertProblem(await ask('PATCH', path, { body: { url } }, production), 'INVALID_PARAMETERS')
})

test('only the types that were asked for are sent, and nothing while it is switched off', async () => {
  const { path } = await make({ types: ['settlement'] })
  const { path: offPath } = await make({ enabled: false })
  const all = await make()
  await room.tell(alice, 'pay_1')
  await until('it is enqueued', () => firstDelivery(all.path), { seconds: SECONDS })
  expect(await firstDelivery(path)).toBeUndefined()
  expect(await firstDelivery(offPath)).toBeUndefined()
  await ask('PATCH', path, { body: { types: [] } })
  await ask('PATCH', offPath, { body: { enabled: true, description: 'on' } })
  await room.tell(alice, 'pay_2')
  await until('both hear of the next', () => firstDelivery(path), { seconds: SECONDS })
  await until('both hear of the next', () => firstDelivery(offPath), { seconds: SECONDS })
  expect((await ask('GET', offPath)).body).toMatchObject({ status: 'active', description: 'on' })
})

test('a range of deliveries is sent again, once per idempotency key, and the log pages through all', async () => {
  const { path } = await make()
  for (let n = 0; n < 3; n += 1) await room.tell(alice, `pay_${n}`, { n })
  const listed = async (query = '') => {
    const page = await ask('GET', `${path}/deliveries?status=delivered${query}`)
    return field(page, 'deliveries') as readonly { deliveryId: string; redeliveryOf: unknown }[]
  }
  await until('all were taken', async () => (await listed()).length === 3, { seconds: SECONDS })
  const range = { body: { from: 0, status: 'all' }, key: 'again' }
  const answer = await ask('POST', `${path}/redeliver`, range)
  expect(answer.body).toMatchObject({ redelivered: 3, nextAfter: null })
  await until('all came again', async () => (await listed()).length === 6, { seconds: SECONDS })
  expect((await ask('POST', `${path}/redeliver`, range)).body).toMatchObject({ redelivered: 3 })
  expect(await listed()).toHaveLength(6)
  expect((await listed()).filter(({ redeliveryOf }) => redeliveryOf !== null)).toHaveLength(3)

  const seen: string[] = []
  for (let cursor = ''; ;) {
    const page = await ask('GET', `${path}/deliveries?limit=4${cursor}`)
    const deliveries = field(page, 'deliveries') as readonly { deliveryId: string }[]
    seen.push(...deliveries.map(({ deliveryId }) => deliveryId))
    const next = field(page, 'nextCursor')
    if (typeof next !== 'string') break
    cursor = `&cursor=${next}`
  }
  expect(seen).toEqual((await listed()).map(({ deliveryId }) => deliveryId))
  const end = await ask('GET', `${path}/deliveries?cursor=${seen.at(-1)}`)
  expect(end).toMatchObject({ status: 200, body: { deliveries: [], nextCursor: null } })
  const madeUp = await ask('GET', `${path}/deliveries?cursor=dlv_zz`)
  expect(madeUp).toMatchObject({
    status: 400,
    body: { error: { details: { cursor: expect.any(String) } } },
  })
})

test('the list goes on where it was although the last of a page is kept no longer, and from nowhere it does not', async () => {
  const { path } = await make()
  for (let n = 0; n < 3; n += 1) await room.tell(alice, `pay_${n}`, { n })
  const listed = async (query = '') => {
    const page = await ask('GET', `${path}/deliveries?${query}`)
    const deliveries = field(page, 'deliveries') as readonly { deliveryId: string }[]
    return { ids: deliveries.map(({ deliveryId }) => deliveryId), next: field(page, 'nextCursor') }
  }
  await until('all are there', async () => (await listed()).ids.length === 3, { seconds: SECONDS })
  const [, middle, oldest] = (await listed()).ids
  const { store } = room.database
  // Nearly: what is older still is removed meanwhile by whoever sends.
  const at = Date.now() - (limits.webhookLogDays - 0.5) * 86_400_000
  await write(
    store,
    'test_age',
    // In one millisecond, and the one in the middle goes first.
    `update webhook_deliveries set created_at = to_timestamp(($2::double precision + case when id = $1 then 0 else 0.5 end) / 1000.0)
     where id = $1 or id = $3`,
    [middle, at, oldest],
  )
  const { next } = await listed('limit=2')
  expect(await store.inTransaction('service', (tx) => forgetDeliveries(tx, at + 1, 1))).toBe(1)
  expect((await listed(`cursor=${String(next)}`)).ids).toEqual([oldest])
  expect(await store.inTransaction('service', (tx) => forgetDeliveries(tx, at + 1, 9))).toBe(1)
  expect(await listed(`cursor=${String(next)}`)).toEqual({ ids: [], next: null })

  const recent = `${middle}.${Date.now()}`
  for (const cursor of [
    'nothing',
    `dlv_zz.${at}`,
    `${middle}`,
    `${middle}.`,
    `${middle}.x`,
    recent,
  ]) {
    assertProblem(await ask('GET', `${path}/deliveries?cursor=${cursor}`), 'INVALID_PARAMETERS')
  }
})

test('a range that is sent again page by page ends: neither what it adds nor what comes later is in it', async () => {
  const { path, webhookId } = await make({ enabled: true })
  for (let n = 0; n < 3; n += 1) await room.tell(alice, `pay_${n}`, { n })
  const delivered = async () => {
    const page = await ask('GET', `${path}/deliveries?status=delivered`)
    return (field(page, 'deliveries') as readonly object[]).length
  }
  await until('all were taken', async () => (await delivered()) === 3, { seconds: SECONDS })
  const order = { accountId: alice, webhookId, key: undefined, fromMilliseconds: 0 }
  const page = (after: string | undefined) =>
    redeliverRange(room.deps, { ...order, toMilliseconds: undefined, status: 'all', after }, 1)
  const first = await page(undefined)
  await until('it came again', async () => (await delivered()) === 4, { seconds: SECONDS })
  await room.tell(alice, 'pay_later', {})
  await until('one more was taken', async () => (await delivered()) === 5, { seconds: SECONDS })
  const second = await page(first.nextAfter ?? undefined)
  const third = await page(second.nextAfter ?? undefined)
  expect([first, second, third].map(({ redelivered }) => redelivered)).toEqual([1, 1, 1])
  expect(third.nextAfter).toBeNull()
})

test('a range goes on where it was although what it had come to is kept no longer, and from nowhere it does not', async () => {
  const { path, webhookId } = await make({ enabled: true })
  for (let n = 0; n < 3; n += 1) await room.tell(alice, `pay_${n}`, { n })
  const delivered = async () => {
    const page = await ask('GET', `${path}/deliveries?status=delivered`)
    return field(page, 'deliveries') as readonly { deliveryId: string }[]
  }
  await until('all were taken', async () => (await delivered()).length === 3, { seconds: SECONDS })
  const oldest = (await delivered()).at(-1)?.deliveryId
  const { store } = room.database
  const at = Date.now() - 3_600_000
  await write(
    store,
    'test_age_oldest',
    'update webhook_deliveries set created_at = to_timestamp($2 / 1000.0) where id = $1',
    [oldest, at],
  )
  const order = { accountId: alice, webhookId, key: undefined, fromMilliseconds: 0 }
  const page = (after: string | null) =>
    redeliverRange(
      room.deps,
      { ...order, toMilliseconds: undefined, status: 'all', after: after ?? undefined },
      1,
    )
  const first = await page(null)
  expect(await store.inTransaction('service', (tx) => forgetDeliveries(tx, at + 1, 10))).toBe(1)
  const second = await page(first.nextAfter)
  const third = await page(second.nextAfter)
  expect([first, second, third].map(({ redelivered }) => redelivered)).toEqual([1, 1, 1])
  expect(third.nextAfter).toBeNull()
  for (const after of ['nothing', `${oldest}`, `${oldest}.${at}`]) {
    const asked = { body: { from: 0, status: 'all', after } }
    assertProblem(await ask('POST', `${path}/redeliver`, asked), 'INVALID_PARAMETERS')
  }
})

test('a range of time that no date holds, or that ends before it begins, is refused', async () => {
  const { path } = await make()
  for (const range of [{ from: 1e16 }, { from: 0, to: 1e16 }, { from: 2, to: 1 }]) {
    assertProblem(await ask('POST', `${path}/redeliver`, { body: range }), 'INVALID_PARAMETERS')
  }
})

test('a repeated test or redelivery happens once under its key, and what waits is not sent twice', async () => {
  const { path } = await make({ enabled: false })
  const [one, two] = await Promise.all([
    ask('POST', `${path}/test`, { key: 'test' }),
    ask('POST', `${path}/test`, { key: 'test' }),
  ])
  expect(field(one, 'deliveryId')).toBe(field(two, 'deliveryId'))
  const again = `${path}/deliveries/${String(field(one, 'deliveryId'))}/redeliver`
  assertProblem(await ask('POST', again), 'INVALID_PARAMETERS')
})
