import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { changeWebhook, createWebhook, rotateSecret } from './manage.ts'
import { listDeliveries } from './delivery-store.ts'
import { takeTurn } from './queue-store.ts'
import { findWebhook } from './store.ts'
import { openTestEndpoint, openTestWebhooks } from './test-webhooks.ts'
import type { Heard, TestEndpoint, TestWebhooks } from './test-webhooks.ts'

const SECONDS = 60
let room: TestWebhooks
let endpoint: TestEndpoint
let accountId: AccountId

beforeAll(async () => {
  room = await openTestWebhooks()
  room.start()
})
beforeEach(async () => {
  endpoint = await openTestEndpoint()
  accountId = await room.newAccount()
})
afterEach(() => endpoint.close())
afterAll(() => room.close())

const terms = {
  description: null,
  types: [],
  enabled: true,
  plan: 'standard',
  actor: SYSTEM,
  key: undefined,
} as const

async function create(url = endpoint.url) {
  const { webhook, secret } = await createWebhook(room.deps, { accountId, ...terms, url })
  return { webhook, secret: secret?.reveal() ?? '' }
}

const deliveries = (webhookId: Awaited<ReturnType<typeof create>>['webhook']['id']) =>
  room.database.store.inTransaction(accountId, (tx) =>
    listDeliveries(
      tx,
      { accountId, webhookId },
      { status: undefined, before: undefined, count: 100 },
    ),
  )

const dataOf = ({ text }: Heard) => (JSON.parse(text) as { data: { n: number } }).data
const sequenceOf = ({ text }: Heard) => (JSON.parse(text) as { sequence: number }).sequence

/** As a receiver in any language would do it. */
function isSigned({ headers, text }: Heard, secret: string): boolean {
  const [t = '', ...signatures] = String(headers['florin-signature']).split(',')
  const seconds = t.replace('t=', '')
  const own = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')
  return signatures.includes(`v1=${own}`)
}

/** Makes what waits for the account due now. */
const hurry = () =>
  room.database.store.inTransaction('service', async (tx) => {
    await takeTurn(tx)
    await tx.query(
      'test_hurry',
      'update webhook_deliveries set due_at = now() where account_id = $1 and lease is null and due_at > now()',
      [accountId],
    )
  })

test('every event of the account arrives once, signed, and with the text that is kept', async () => {
  const { webhook, secret } = await create()
  for (let n = 0; n < 5; n += 1) await room.tell(accountId, `pay_${n}`, { n })
  await until('all arrived', () => endpoint.heard.length === 5, { seconds: SECONDS })
  expect(endpoint.heard.map(sequenceOf).sort()).toEqual([1, 2, 3, 4, 5])
  expect(endpoint.heard.every((heard) => isSigned(heard, secret))).toBe(true)
  await until(
    'all are written down',
    async () => (await deliveries(webhook.id)).every(({ status }) => status === 'delivered'),
    { seconds: SECONDS },
  )
  const [last] = await deliveries(webhook.id)
  expect(last?.log).toMatchObject([{ status: 200, error: null, url: endpoint.url, answer: 'ok' }])
  expect(new Set(endpoint.heard.map(({ text }) => text))).toContain(last?.body)
})

test('of one payment the later event waits for the earlier one, and other payments do not', async () => {
  const { webhook } = await create()
  let isDown = true
  endpoint.answer((heard, response) => {
    response.statusCode = isDown && dataOf(heard).n < 9 ? 500 : 200
    response.end()
  })
  for (const n of [1, 2, 3]) await room.tell(accountId, 'pay_slow', { n })
  await room.tell(accountId, 'pay_other', { n: 9 })
  await until(
    'the other payment passes, and the first of the slow one failed',
    async () =>
      endpoint.heard.some((heard) => dataOf(heard).n === 9) &&
      (await deliveries(webhook.id)).some(({ log }) => log.some(({ status }) => status === 500)),
    { seconds: SECONDS },
  )
  expect(endpoint.heard.map((heard) => dataOf(heard).n)).not.toContain(2)
  isDown = false
  await hurry()
  await until(
    'the slow payment is through',
    async () => (await deliveries(webhook.id)).every(({ status }) => status === 'delivered'),
    { seconds: SECONDS },
  )
  const slow = endpoint.heard.filter((heard) => dataOf(heard).n < 9)
  expect(slow.map((heard) => dataOf(heard).n)).toEqual([1, 1, 2, 3])
})

test('after a rotation both secrets sign, and the old one alone no longer once it has run out', async () => {
  const { webhook, secret: old } = await create()
  const order = { accountId, webhookId: webhook.id, actor: SYSTEM, key: undefined }
  const both = await rotateSecret(room.deps, { ...order, previousValidSeconds: 3_600 })
  await room.tell(accountId, 'pay_1')
  await until('it arrived', () => endpoint.heard.length === 1, { seconds: SECONDS })
  const only = await rotateSecret(room.deps, { ...order, previousValidSeconds: 0 })
  await room.tell(accountId, 'pay_2')
  await until('the next arrived', () => endpoint.heard.length === 2, { seconds: SECONDS })
  const signedBy = (heard: Heard | undefined) =>
    [old, both.secret?.reveal(), only.secret?.reveal()].map(
      (secret) => heard !== undefined && isSigned(heard, secret ?? ''),
    )
  expect(signedBy(endpoint.heard[0])).toEqual([true, true, false])
  expect(signedBy(endpoint.heard[1])).toEqual([false, false, true])
})

test('an endpoint that hangs gets one request at a time and holds nobody else up', async () => {
  const hanging = await openTestEndpoint()
  const held: (() => void)[] = []
  hanging.answer((_heard, response) => void held.push(() => response.end()))
  try {
    await create(hanging.url)
    await create()
    for (let n = 0; n < 100; n += 1) await room.tell(accountId, `pay_${n}`)
    await until('the other endpoint has all', () => endpoint.heard.length === 100, {
      seconds: SECONDS,
    })
    expect(hanging.heard).toHaveLength(1)
  } finally {
    for (const release of held) release()
    await hanging.close()
  }
})

test('what a sender that died had taken is sent by another', async () => {
  const { webhook } = await create()
  const { store } = room.database
  // As if it had been taken by an instance that is no more.
  await store.inTransaction('service', (tx) =>
    tx.query(
      'test_block',
      'update webhooks set enabled = true, paused_at = now(), pause_reason = $2 where id = $1',
      [webhook.id, 'failing'],
    ),
  )
  await room.tell(accountId, 'pay_1')
  await until('it waits', async () => (await deliveries(webhook.id)).length === 1, {
    seconds: SECONDS,
  })
  await store.inTransaction('service', async (tx) => {
    await tx.query(
      'test_dead_lease',
      `update webhook_deliveries set lease = 'dlv_of_the_dead', attempts = 1, due_at = now() + interval '300 milliseconds'
       where webhook_id = $1`,
      [webhook.id],
    )
    await tx.query(
      'test_unblock',
      'update webhooks set paused_at = null, pause_reason = null where id = $1',
      [webhook.id],
    )
  })
  await until('it arrived', () => endpoint.heard.length === 1, { seconds: SECONDS })
  await until(
    'it is written down',
    async () => (await deliveries(webhook.id))[0]?.status === 'delivered',
    { seconds: SECONDS },
  )
  expect((await deliveries(webhook.id))[0]?.attempts).toBe(2)
})

test('a day of nothing but failures pauses an endpoint and tells its owner; one that is gone at once', async () => {
  const { webhook } = await create()
  const gone = await openTestEndpoint()
  gone.answer((_heard, response) => void response.writeHead(410).end())
  const { webhook: other } = await create(gone.url)
  endpoint.answer((_heard, response) => void response.writeHead(503).end('later'))
  await room.tell(accountId, 'pay_1')
  const { store } = room.database
  const read = (id: typeof webhook.id) =>
    store.inTransaction(accountId, (tx) => findWebhook(tx, accountId, id))
  await until(
    'the first failure is known',
    async () => (await read(webhook.id))?.failingSinceMilliseconds,
    { seconds: SECONDS },
  )
  expect((await read(webhook.id))?.pausedAtMilliseconds).toBeNull()
  await store.inTransaction('service', (tx) =>
    tx.query(
      'test_day',
      `update webhooks set failing_since = now() - interval '1 hour' * $2 - interval '1 second' where id = $1`,
      [webhook.id, limits.webhookPauseHours],
    ),
  )
  await hurry()
  await until('it is paused', async () => (await read(webhook.id))?.pauseReason === 'failing', {
    seconds: SECONDS,
  })
  await until('the other, too', async () => (await read(other.id))?.pauseReason === 'gone', {
    seconds: SECONDS,
  })
  const told = room.paused.filter((one) => one.accountId === accountId)
  expect(told.map(({ webhookId, reason }) => [webhookId, reason]).sort()).toEqual(
    [
      [webhook.id, 'failing'],
      [other.id, 'gone'],
    ].sort(),
  )
  const heard = endpoint.heard.length
  await room.tell(accountId, 'pay_2')
  await until('it waits', async () => (await deliveries(webhook.id)).length === 2, {
    seconds: SECONDS,
  })
  await hurry()
  await room.tell(accountId, 'pay_3')
  await until('one more waits', async () => (await deliveries(webhook.id)).length === 3, {
    seconds: SECONDS,
  })
  expect(endpoint.heard).toHaveLength(heard)
  await gone.close()
})

test('redirects, addresses that are not allowed and answers without an end are failures, and nothing follows them', async () => {
  const target = await openTestEndpoint()
  endpoint.answer((heard, response) => {
    if (heard.path === '/redirect') {
      response.writeHead(307, { location: target.url }).end()
      return
    }
    response.writeHead(200)
    const flood = () => {
      while (response.write(Buffer.alloc(16_384, 'x'))) continue
    }
    response.on('drain', flood)
    flood()
  })
  const redirect = await create(`${endpoint.url}/redirect`)
  const endless = await create(`${endpoint.url}/endless`)
  const inside = await create('http://10.0.0.1/')
  await room.tell(accountId, 'pay_1')
  const lastOf = async (id: typeof redirect.webhook.id) => (await deliveries(id))[0]?.log[0]
  await until(
    'all have failed',
    async () =>
      (await lastOf(redirect.webhook.id)) !== undefined &&
      (await lastOf(endless.webhook.id)) !== undefined &&
      (await lastOf(inside.webhook.id)) !== undefined,
    { seconds: SECONDS },
  )
  expect(await lastOf(redirect.webhook.id)).toMatchObject({ status: 307 })
  expect(await lastOf(endless.webhook.id)).toMatchObject({ status: null, error: 'body_too_long' })
  expect(await lastOf(inside.webhook.id)).toMatchObject({ error: 'address_not_allowed' })
  expect(target.heard).toHaveLength(0)
  for (const { webhook } of [redirect, endless, inside]) {
    expect((await deliveries(webhook.id))[0]?.status).toBe('waiting')
  }
  await target.close()
})

test('an answer of the address before says nothing about the one of now', async () => {
  const next = await openTestEndpoint()
  try {
    let answerLate = () => {}
    endpoint.answer((_heard, response) => {
      answerLate = () => void response.writeHead(410).end()
    })
    const { webhook } = await create()
    await room.tell(accountId, 'pay_1', { n: 1 })
    await until('it was asked', () => endpoint.heard.length === 1, { seconds: SECONDS })
    await changeWebhook(
      room.deps,
      { accountId, webhookId: webhook.id, actor: SYSTEM },
      { url: next.url },
    )
    answerLate()
    await until('it is written down', async () => (await deliveries(webhook.id))[0]?.log.length, {
      seconds: SECONDS,
    })
    const now = await room.database.store.inTransaction(accountId, (tx) =>
      findWebhook(tx, accountId, webhook.id),
    )
    expect(now).toMatchObject({ pauseReason: null, failingSinceMilliseconds: null })
    await hurry()
    await until('the new one was asked', () => next.heard.length === 1, { seconds: SECONDS })
  } finally {
    await next.close()
  }
})
