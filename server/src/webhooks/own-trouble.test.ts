import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'
import { until } from '../kernel/until.ts'
import type { Tx } from '../store/postgres.ts'
import { hearing } from '../store/test-hearing.ts'
import { listDeliveries } from './delivery-store.ts'
import { createWebhook } from './manage.ts'
import { takeDue } from './queue-store.ts'
import { openTestEndpoint, openTestWebhooks } from './test-webhooks.ts'
import type { TestEndpoint, TestWebhooks } from './test-webhooks.ts'

const SECONDS = 15
const TAKINGS = 8
const MINUTE_MILLISECONDS = 60_000
let room: TestWebhooks
let endpoint: TestEndpoint
beforeAll(async () => {
  room = await openTestWebhooks()
  endpoint = await openTestEndpoint()
  endpoint.answer((_heard, response) => {
    response.statusCode = 500
    response.end()
  })
})
afterAll(async () => {
  await room.close()
  await endpoint.close()
})

const asService = <T>(work: (tx: Tx) => Promise<T>) =>
  room.database.store.inTransaction('service', work)

const onlyOne = async (whose: { accountId: AccountId; webhookId: WebhookId }) => {
  const page = { status: undefined, before: undefined, count: 10 }
  const all = await room.database.store.inTransaction(whose.accountId, (tx) =>
    listDeliveries(tx, whose, page),
  )
  return all[0]
}

/** A delivery that was taken so often, over more than three days, and of which nothing was ever written down. */
async function withLapsedTakings() {
  const accountId = await room.newAccount()
  const { webhook } = await createWebhook(room.deps, {
    ...{ accountId, actor: SYSTEM, plan: 'standard', key: undefined },
    ...{ url: endpoint.url, description: null, types: [], enabled: true },
  })
  const whose = { accountId, webhookId: webhook.id }
  await asService((tx) =>
    // Resumed before all that.
    tx.query(
      'test_resumed',
      `update webhooks set resumed_at = now() - interval '100 hours' where id = $1`,
      [webhook.id],
    ),
  )
  await room.tell(accountId, 'pay_1')
  await until('it waits', async () => (await onlyOne(whose)) !== undefined, { seconds: SECONDS })
  for (let n = 0; n < TAKINGS; n += 1) {
    const { deliveries } = await asService((tx) =>
      takeDue(tx, `lease_${n}`, { free: 10, freeForTroubled: 10 }),
    )
    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual([webhook.id])
    await asService((tx) =>
      tx.query(
        'test_lapse',
        `update webhook_deliveries set due_at = now(), created_at = now() - interval '80 hours',
           first_taken_at = first_taken_at - interval '80 hours' where webhook_id = $1`,
        [webhook.id],
      ),
    )
  }
  return whose
}

test('what was taken and never sent is no attempt: the first failure waits as a first one does, and gives nothing up', async () => {
  const whose = await withLapsedTakings()
  expect(await onlyOne(whose)).toMatchObject({ status: 'waiting', attempts: 0 })
  const sender = room.start()
  await until('it was written down', async () => (await onlyOne(whose))?.log.length === 1, {
    seconds: SECONDS,
  })
  await sender.stop()
  const failed = await onlyOne(whose)
  expect(failed).toMatchObject({ status: 'waiting', attempts: 1 })
  const wait = (failed?.dueAtMilliseconds ?? 0) - (failed?.log[0]?.at ?? 0)
  expect(wait).toBeLessThan(MINUTE_MILLISECONDS)
  expect(endpoint.heard).toHaveLength(1)
})

test('an outcome that cannot be written down counts as no attempt, and the lease keeps the endpoint from being asked meanwhile', async () => {
  await asService((tx) => tx.query('test_silence', 'update webhooks set enabled = false'))
  const whose = await withLapsedTakings()
  const before = endpoint.heard.length
  let losses = 0
  const sender = room.start({
    store: hearing(room.database.store, (name) => {
      if (name !== 'queue_finish') return undefined
      losses += 1
      return new Error('not now')
    }),
  })
  await until('it could not be written down', () => losses === 1, { seconds: SECONDS })
  await sender.stop()
  const leased = await asService((tx) =>
    tx.query(
      'test_leased',
      'select from webhook_deliveries where webhook_id = $1 and lease is not null',
      [whose.webhookId],
    ),
  )
  expect(leased).toHaveLength(1)
  expect(endpoint.heard).toHaveLength(before + 1)
  expect(await onlyOne(whose)).toMatchObject({ status: 'waiting', attempts: 0, log: [] })
})
