import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, DeliveryId, WebhookId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Tx } from '../store/postgres.ts'
import { write } from '../store/test-write.ts'
import { createWebhook } from './manage.ts'
import { insertDeliveries } from './delivery-store.ts'
import { finishAttempt, noteFailure, noteSuccess, takeDue } from './queue-store.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

const URL = 'http://127.0.0.1:9/'
const FORMER = 'http://127.0.0.1:9/former'

let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks({ givesOut: false })
})
afterAll(() => room.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) =>
  room.database.store.inTransaction('service', work)

/** An endpoint of an account of its own: all have the same address. */
async function anEndpoint(): Promise<WebhookId> {
  const accountId = await room.newAccount()
  const ordered = { accountId, actor: SYSTEM, plan: 'standard' as const, key: undefined }
  const terms = { url: URL, description: null, types: [], enabled: true }
  const { webhook } = await createWebhook(room.deps, { ...ordered, ...terms })
  await write(
    room.database.store,
    'test_trust',
    'update webhooks set in_trouble = false where id = $1',
    [webhook.id],
  )
  return webhook.id
}

const fail = (webhookId: WebhookId, { isGone = false, url = URL } = {}) =>
  inService((tx) => noteFailure(tx, { webhookId, url }, { isGone }))
const succeed = (webhookId: WebhookId, { isSlow = false, url = URL } = {}) =>
  inService((tx) => noteSuccess(tx, { webhookId, url }, { isSlow }))

/** The failures of an endpoint began so long ago. */
const age = (webhookId: WebhookId, hours: number) =>
  write(
    room.database.store,
    'test_age',
    `update webhooks set failing_since = failing_since - $2::integer * interval '1 hour' where id = $1`,
    [webhookId, hours],
  )

async function stateOf(webhookId: WebhookId): Promise<string> {
  const [row] = await room.database.store.query<{ state: string }>(
    'test_state',
    `select concat_ws(', ', case when in_trouble then 'in trouble' end, case when failing_since is not null then 'failing' end,
       case when paused_at is not null then 'paused: ' || pause_reason end) as state from webhooks where id = $1`,
    [webhookId],
  )
  return row?.state ?? 'none'
}

test('what an endpoint answers is noted of it alone, whoever else has its address, and of no address that it has no longer', async () => {
  const [own, other] = [await anEndpoint(), await anEndpoint()]
  expect(await fail(own, { url: FORMER, isGone: true })).toBeUndefined()
  expect(await stateOf(own)).toBe('')
  await fail(own)
  expect([await stateOf(own), await stateOf(other)]).toEqual(['in trouble, failing', ''])
  await fail(other)
  await succeed(own, { url: FORMER })
  expect(await stateOf(own)).toBe('in trouble, failing')
  await succeed(own)
  expect([await stateOf(own), await stateOf(other)]).toEqual(['', 'in trouble, failing'])
  expect(await fail(own, { isGone: true })).toMatchObject({ reason: 'gone' })
  expect(await stateOf(own)).toBe('in trouble, failing, paused: gone')
  expect(await stateOf(other)).toBe('in trouble, failing')
})

test('an endpoint is paused once, after its hours of nothing but failures, also one that was slow before', async () => {
  const webhookId = await anEndpoint()
  await succeed(webhookId, { isSlow: true })
  expect(await stateOf(webhookId)).toBe('in trouble')
  expect(await fail(webhookId)).toBeUndefined()
  expect(await stateOf(webhookId)).toBe('in trouble, failing')
  await age(webhookId, limits.webhookPauseHours)
  await succeed(webhookId)
  expect(await stateOf(webhookId)).toBe('')
  expect(await fail(webhookId)).toBeUndefined()
  await age(webhookId, limits.webhookPauseHours - 1)
  expect(await fail(webhookId)).toBeUndefined()
  await age(webhookId, 1)
  expect(await fail(webhookId)).toMatchObject({ reason: 'failing' })
  expect(await fail(webhookId)).toBeUndefined()
})

/** A delivery to an endpoint, of a payment of its own unless said otherwise. */
async function deliver(webhookId: WebhookId, lane?: string): Promise<DeliveryId> {
  const id = newId(systemRandom, 'dlv')
  const [row] = await room.database.store.query<{ account_id: AccountId }>(
    'test_owner',
    'select account_id from webhooks where id = $1',
    [webhookId],
  )
  if (row === undefined) throw new Error('no endpoint')
  const one = { id, accountId: row.account_id, webhookId, eventId: newId(systemRandom, 'evt') }
  const said = { type: 'payment' as const, lane: lane ?? id, redeliveryOf: null, body: '{}' }
  await inService((tx) => insertDeliveries(tx, [{ ...one, ...said }]))
  return id
}
/** What is due of these endpoints, taken. */
async function take(...webhookIds: readonly WebhookId[]) {
  const room = { free: 1_000, freeForTroubled: 1_000 }
  const { deliveries } = await inService((tx) => takeDue(tx, newId(systemRandom, 'req'), room))
  return deliveries.filter(({ webhookId }) => webhookIds.includes(webhookId))
}
const change = (webhookId: WebhookId, sql: string) =>
  write(room.database.store, `test_${sql.length}`, `update webhooks set ${sql} where id = $1`, [
    webhookId,
  ])

test('nothing is taken of an endpoint that is paused, off or deleted, and all of it when it goes on', async () => {
  const [paused, off, deleted] = [await anEndpoint(), await anEndpoint(), await anEndpoint()]
  await change(paused, `paused_at = now(), pause_reason = 'failing'`)
  await change(off, 'enabled = false')
  await change(deleted, 'deleted_at = now()')
  for (const webhookId of [paused, off, deleted]) await deliver(webhookId)
  expect(await take(paused, off, deleted)).toEqual([])
  await change(paused, 'paused_at = null, pause_reason = null')
  await change(off, 'enabled = true')
  const taken = await take(paused, off, deleted)
  expect(taken.map(({ webhookId }) => webhookId).toSorted()).toEqual([paused, off].toSorted())
})

test('what waits for its next attempt takes no place of what is due, and what is under way does', async () => {
  const webhookId = await anEndpoint()
  await change(webhookId, 'in_trouble = true')
  const [first, second] = [await deliver(webhookId), await deliver(webhookId)]
  const [taken, ...others] = await take(webhookId)
  expect([taken?.id, others]).toEqual([first, []])
  expect(await take(webhookId)).toEqual([])
  if (taken === undefined) throw new Error('nothing was taken')
  const later = { kind: 'later', waitMilliseconds: 3_600_000, counts: true } as const
  expect(await inService((tx) => finishAttempt(tx, taken, later, []))).toBe(true)
  const next = await take(webhookId)
  expect(next.map(({ id }) => id)).toEqual([second])
})

test('what ends lets the next of its payment go at its own endpoint, and no other', async () => {
  const [own, other] = [await anEndpoint(), await anEndpoint()]
  const first = await deliver(own, 'pay_1')
  const waiting = [
    await deliver(own, 'pay_1'),
    await deliver(own, 'pay_1'),
    await deliver(own, 'pay_2'),
    await deliver(own, 'pay_2'),
    await deliver(other, 'pay_1'),
    await deliver(other, 'pay_1'),
  ]
  const due = async () => {
    const rows = await room.database.store.query<{ id: DeliveryId }>(
      'test_due',
      `select id from webhook_deliveries where id = any($1) and due_at is not null`,
      [waiting],
    )
    const ids = new Set(rows.map(({ id }) => id))
    return waiting.flatMap((id, index) => (ids.has(id) ? [index] : []))
  }
  expect(await due()).toEqual([2, 4])
  const taken = (await take(own)).find(({ id }) => id === first)
  if (taken === undefined) throw new Error('it was not taken')
  const over = { kind: 'delivered' } as const
  const lost = { ...taken, lease: 'another' }
  expect(await inService((tx) => finishAttempt(tx, lost, over, []))).toBe(false)
  expect(await due()).toEqual([2, 4])
  expect(await inService((tx) => finishAttempt(tx, taken, over, []))).toBe(true)
  expect(await due()).toEqual([0, 2, 4])
  expect(await inService((tx) => finishAttempt(tx, taken, over, []))).toBe(false)
  expect(await due()).toEqual([0, 2, 4])
})
