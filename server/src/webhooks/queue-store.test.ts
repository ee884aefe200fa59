import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import type { WebhookId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { write } from '../store/test-write.ts'
import { createWebhook } from './manage.ts'
import { noteFailure, noteSuccess } from './queue-store.ts'
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
