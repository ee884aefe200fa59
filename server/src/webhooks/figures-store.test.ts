import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { until } from '../kernel/until.ts'
import type { Tx } from '../store/postgres.ts'
import { webhookFigures } from './figures-store.ts'
import { createWebhook } from './manage.ts'
import { noteFailure, noteSuccess } from './queue-store.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

const SECONDS = 60
let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks()
})
afterAll(() => room.close())

const asService = <T>(work: (tx: Tx) => Promise<T>) =>
  room.database.store.inTransaction('service', work)

test('what waits for an address in trouble is no lateness of the senders', async () => {
  const accountId = await room.newAccount()
  const url = 'http://127.0.0.1:9/'
  const terms = { url, description: null, types: [], enabled: true }
  const ordered = { actor: SYSTEM, plan: 'enterprise', key: undefined } as const
  const { webhook } = await createWebhook(room.deps, { ...ordered, accountId, ...terms })
  const at = { webhookId: webhook.id, url }
  await room.tell(accountId, 'pay_1')
  const figures = () => asService(webhookFigures)
  await until('it waits', async () => (await figures()).waiting === 1, { seconds: SECONDS })

  // Nobody has answered there yet.
  expect((await figures()).oldestDueAtMilliseconds).toBe(null)
  await asService((tx) => noteSuccess(tx, at, { isSlow: false }))
  expect((await figures()).oldestDueAtMilliseconds).not.toBe(null)
  await asService((tx) => noteFailure(tx, at, { isGone: false }))
  expect(await figures()).toMatchObject({ waiting: 1, oldestDueAtMilliseconds: null, active: 1 })
})
