import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import type { Tx } from '../store/postgres.ts'
import { hearing } from '../store/test-hearing.ts'
import { listDeliveries } from './delivery-store.ts'
import { createWebhook } from './manage.ts'
import { takeDue } from './queue-store.ts'
import { openTestEndpoint, openTestWebhooks } from './test-webhooks.ts'
import type { TestEndpoint, TestWebhooks } from './test-webhooks.ts'

const SECONDS = 60
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

async function anEndpoint(url: string) {
  const accountId = await room.newAccount()
  const { webhook } = await createWebhook(room.deps, {
    ...{ accountId, actor: SYSTEM, plan: 'standard', key: undefined },
    ...{ url, description: null, types: [], enabled: true },
  })
  return { accountId, webhookId: webhook.id }
}

/** A delivery that was taken so often, over more than three days, and of which nothing was ever written down. */
async function withLapsedTakings() {
  const whose = await anEndpoint(endpoint.url)
  const { accountId, webhookId } = whose
  await asService((tx) =>
    // Resumed before all that.
    tx.query(
      'test_resumed',
      `update webhooks set resumed_at = now() - interval '100 hours' where id = $1`,
      [webhookId],
    ),
  )
  await room.tell(accountId, 'pay_1')
  await until('it waits', async () => (await onlyOne(whose)) !== undefined, { seconds: SECONDS })
  for (let n = 0; n < TAKINGS; n += 1) {
    const { deliveries } = await asService((tx) =>
      takeDue(tx, `lease_${n}`, { free: 10, freeForTroubled: 10 }),
    )
    expect(deliveries.map((one) => one.webhookId)).toEqual([webhookId])
    await asService((tx) =>
      tx.query(
        'test_lapse',
        `update webhook_deliveries set due_at = now(), created_at = now() - interval '80 hours',
           first_taken_at = first_taken_at - interval '80 hours' where webhook_id = $1`,
        [webhookId],
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

test('what is sent once more since its lease ran out stays leased to its end, and is not sent a third time', async () => {
  await asService((tx) => tx.query('test_silence', 'update webhooks set enabled = false'))
  const slow = await openTestEndpoint()
  const answers: ServerResponse[] = []
  slow.answer((_heard, response) => answers.push(response))
  const whose = await anEndpoint(slow.url)
  const renewal = (limits.webhookLeaseSeconds * 1000) / 3
  const clock: Clock = {
    ...systemClock,
    sleep: (milliseconds, signal) =>
      systemClock.sleep(milliseconds === renewal ? 20 : milliseconds, signal),
  }
  let isAway = false
  let keeps = 0
  const ends: string[] = []
  const sender = room.start({
    clock,
    store: hearing(room.database.store, (name) => {
      if (name !== 'queue_keep') return undefined
      keeps += 1
      return isAway ? new Error('not now') : undefined
    }),
    onAttempt: (end) => ends.push(end),
  })
  await room.tell(whose.accountId, 'pay_1')
  await until('it is sent', () => answers.length === 1, { seconds: SECONDS })
  isAway = true
  const lapse = `update webhook_deliveries set due_at = now() where webhook_id = $1`
  await asService((tx) => tx.query('test_lapse_one', lapse, [whose.webhookId]))
  await until('it is sent once more', () => answers.length === 2, { seconds: SECONDS })
  answers[0]?.end()
  await until('the first has ended', () => ends.length === 1, { seconds: SECONDS })
  isAway = false
  const before = keeps
  await until('leases are kept', () => keeps > before + 1, { seconds: SECONDS })
  answers[1]?.end()
  await until('the second has ended', () => ends.length === 2, { seconds: SECONDS })
  await sender.stop()
  expect(ends).toEqual(['dropped', 'delivered'])
  expect(answers).toHaveLength(2)
  await slow.close()
})
