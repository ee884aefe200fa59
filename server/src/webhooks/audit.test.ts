import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listAudit } from '../audit/store.ts'
import { assertProblem, openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import type { AccountId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { webhookRoutes } from './routes.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

const keyId = newId(systemRandom, 'key')
const TOKEN = 'a-token-of-the-shop'
let room: TestWebhooks
let server: Awaited<ReturnType<typeof openTestServer>>
let accountId: AccountId

beforeAll(async () => {
  room = await openTestWebhooks()
  const scopes = new Set(['read', 'write'] as const)
  const authenticate = async () => ({ accountId, keyId, plan: 'standard' as const, scopes })
  server = await openTestServer({ authenticate, routes: webhookRoutes(room.deps) })
})
beforeEach(async () => {
  accountId = await room.newAccount()
})
afterAll(async () => {
  await server.close()
  await room.close()
})

const ask = (method: string, path: string, body?: object, key?: string) =>
  server.ask(method, path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  })
const field = ({ body }: Answered, name: string) => String(Reflect.get(Object(body), name))

/** What the log of the account says, oldest first. */
async function noted() {
  const entries = await room.database.store.inTransaction(accountId, (tx) =>
    listAudit(tx, accountId, { before: undefined, count: 100 }),
  )
  return entries.toReversed().map(({ actor, action, object, detailsText }) => ({
    ...{ actor, action, object },
    details: JSON.parse(detailsText) as unknown,
  }))
}

/** Who an entry names for a request that was answered so. */
const by = (answer: Answered) => ({
  ...{ kind: 'key', id: keyId, name: null, address: '127.0.0.1' },
  requestId: answer.headers.get('x-request-id'),
})

test('every change of a webhook leaves one entry, without its secrets and what stands behind the path', async () => {
  const url = `https://shop.example/hooks?token=${TOKEN}`
  const made = await ask('POST', '/webhooks', { url, types: ['webhook', 'payment'] }, 'one')
  await ask('POST', '/webhooks', { url, types: ['webhook', 'payment'] }, 'one')
  const object = field(made, 'webhookId')
  const path = `/webhooks/${object}`
  const again = await ask('PATCH', path, { url: `${url}2` })
  const moved = await ask('PATCH', path, { url: 'https://new.example/hooks', enabled: false })
  await ask('PATCH', path, { url: 'https://new.example/hooks', description: '' })
  const rotated = await ask('POST', `${path}/rotate`, { previousValidSeconds: 60 }, 'two')
  await ask('POST', `${path}/rotate`, { previousValidSeconds: 60 }, 'two')
  const deleted = await ask('DELETE', path)

  const hidden = 'https://shop.example/hooks?(not noted)'
  const terms = { types: ['payment', 'webhook'], description: null }
  const entries = await noted()
  expect(entries).toEqual([
    {
      ...{ actor: by(made), action: 'webhook.created', object },
      details: { url: hidden, ...terms, enabled: true },
    },
    {
      ...{ actor: by(again), action: 'webhook.changed', object },
      details: { before: { url: hidden }, after: { url: hidden } },
    },
    {
      ...{ actor: by(moved), action: 'webhook.changed', object },
      details: {
        before: { url: hidden, enabled: true },
        after: { url: 'https://new.example/hooks', enabled: false },
      },
    },
    {
      ...{ actor: by(rotated), action: 'webhook.secret_rotated', object },
      details: { previousValidSeconds: 60 },
    },
    {
      ...{ actor: by(deleted), action: 'webhook.deleted', object },
      details: { url: 'https://new.example/hooks', ...terms, enabled: false },
    },
  ])
  const text = JSON.stringify(entries)
  const secrets = [TOKEN, field(made, 'secret'), field(rotated, 'secret')]
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
})

test('the end of a pause is a change', async () => {
  const made = await ask('POST', '/webhooks', { url: 'https://shop.example/' })
  const object = field(made, 'webhookId')
  await room.database.store.inTransaction(accountId, (tx) =>
    tx.query(
      'test_pause',
      `update webhooks set paused_at = now(), pause_reason = 'failing' where id = $1`,
      [object],
    ),
  )
  const resumed = await ask('PATCH', `/webhooks/${object}`, { enabled: true })
  await ask('PATCH', `/webhooks/${object}`, { enabled: true })
  const [, ...entries] = await noted()
  expect(entries).toEqual([
    {
      ...{ actor: by(resumed), action: 'webhook.changed', object },
      details: { before: {}, after: {}, resumed: true },
    },
  ])
})

test('what is refused leaves no entry', async () => {
  const nowhere = `/webhooks/${newId(systemRandom, 'whk')}`
  assertProblem(await ask('PATCH', nowhere, { enabled: false }), 'NOT_FOUND')
  assertProblem(await ask('POST', `${nowhere}/rotate`, {}), 'NOT_FOUND')
  assertProblem(await ask('DELETE', nowhere), 'NOT_FOUND')
  assertProblem(await ask('POST', '/webhooks', { url: 'shop.example' }), 'INVALID_PARAMETERS')
  expect(await noted()).toEqual([])
  const url = 'https://shop.example/'
  for (let n = 0; n <= limits.webhooksStandardMax; n += 1) await ask('POST', '/webhooks', { url })
  expect(await noted()).toHaveLength(limits.webhooksStandardMax)
})
