import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountId } from '../kernel/id.ts'
import { newId, parseId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { write } from '../store/test-write.ts'
import { openTestServer } from '../http/test-server.ts'
import { insertDeliveries } from './delivery-store.ts'
import { webhookRoutes } from './routes.ts'
import { searchDeliveries } from './search-store.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

let room: TestWebhooks
let server: Awaited<ReturnType<typeof openTestServer>>
let alice: AccountId
beforeAll(async () => {
  room = await openTestWebhooks({ givesOut: false })
  alice = await room.newAccount()
  const caller = { accountId: alice, keyId: newId(systemRandom, 'key'), plan: 'standard' as const }
  server = await openTestServer({
    authenticate: async () => ({ ...caller, scopes: new Set(['read', 'write'] as const) }),
    routes: webhookRoutes(room.deps),
  })
})
afterAll(async () => {
  await server.close()
  await room.close()
})

const ask = async (method: string, path: string, body?: object) => {
  const answer = await server.ask(method, path, {
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: Object(answer.body) as Record<string, unknown> }
}

/** A webhook with a delivery for each of these payments, in their order; each a second after the one before. */
async function webhookWith(payments: readonly string[]) {
  const made = await ask('POST', '/webhooks', { url: 'http://127.0.0.1:1/' })
  const webhookId = parseId('whk', String(made.body['webhookId']))
  if (webhookId === undefined) throw new Error('no webhook was made')
  const rows = payments.map((lane) => ({
    ...{ id: newId(systemRandom, 'dlv'), accountId: alice, webhookId, redeliveryOf: null },
    ...{ eventId: newId(systemRandom, 'evt'), type: 'payment' as const, lane, body: '{}' },
  }))
  const { store } = room.database
  await store.inTransaction('service', (tx) => insertDeliveries(tx, rows))
  await write(
    store,
    'test_ages',
    `update webhook_deliveries d set created_at = to_timestamp(1790000000 + age)
     from unnest($1::text[]) with ordinality as r (id, age) where d.id = r.id`,
    [rows.map(({ id }) => id)],
  )
  return { webhookId, ids: rows.map(({ id }) => id), path: `/webhooks/${webhookId}/deliveries` }
}
const idsOf = (body: Record<string, unknown>) =>
  (body['deliveries'] as readonly { deliveryId: string }[]).map(({ deliveryId }) => deliveryId)

test('the deliveries of a payment are listed, newest first and page by page', async () => {
  const { ids, path } = await webhookWith(['pay_a', 'pay_b', 'pay_a', 'pay_b', 'pay_a'])
  const whole = await ask('GET', `${path}?paymentId=pay_a`)
  expect(idsOf(whole.body)).toEqual([ids[4], ids[2], ids[0]])
  expect(whole.body['nextCursor']).toBeNull()
  const first = await ask('GET', `${path}?paymentId=pay_a&limit=2`)
  expect(idsOf(first.body)).toEqual([ids[4], ids[2]])
  const next = String(first.body['nextCursor'])
  const second = await ask('GET', `${path}?paymentId=pay_a&limit=2&cursor=${next}`)
  expect([idsOf(second.body), second.body['nextCursor']]).toEqual([[ids[0]], null])
  expect(idsOf((await ask('GET', `${path}?paymentId=pay_c`)).body)).toEqual([])
  expect(idsOf((await ask('GET', `${path}?paymentId=pay_a&status=failed`)).body)).toEqual([])
})

test('from leaves out what was recorded before, and ends the list there', async () => {
  const { ids, path } = await webhookWith(['pay_a', 'pay_b', 'pay_a', 'pay_b'])
  const since = await ask('GET', `${path}?from=1790000002000`)
  expect(idsOf(since.body)).toEqual([ids[3], ids[2], ids[1]])
  expect(since.body['nextCursor']).toBeNull()
  const both = await ask('GET', `${path}?paymentId=pay_a&from=1790000002000`)
  expect(idsOf(both.body)).toEqual([ids[2]])
})

test('a page looks at so many deliveries and no more, and the next goes on from there', async () => {
  const { webhookId, ids } = await webhookWith(['pay_a', 'pay_b', 'pay_b', 'pay_b', 'pay_a'])
  const page = (before: string | undefined, fromMilliseconds?: number) =>
    room.database.store.inTransaction(alice, (tx) =>
      searchDeliveries(
        tx,
        { accountId: alice, webhookId },
        {
          ...{ status: undefined, lane: 'pay_a', count: 10, lookedMax: 2, before },
          ...(fromMilliseconds === undefined ? {} : { fromMilliseconds }),
        },
      ),
    )
  const seen = async (before: string | undefined) => {
    const { deliveries, lookedBackTo } = await page(before)
    return [deliveries.map(({ id }) => id), lookedBackTo?.id]
  }
  expect(await seen(undefined)).toEqual([[ids[4]], ids[3]])
  expect(await seen(ids[3])).toEqual([[], ids[1]])
  expect(await seen(ids[1])).toEqual([[ids[0]], undefined])
  // Far enough back: nothing older is looked for.
  const { lookedBackTo } = await page(undefined, 1_790_000_900_000)
  expect(lookedBackTo).toBeUndefined()
})

test('what became of deliveries is looked for among so many, too: the next page finds what is older', async () => {
  const { webhookId, ids, path } = await webhookWith(['pay_a'])
  const { store } = room.database
  await write(
    store,
    'test_fail',
    `update webhook_deliveries set status = 'failed', due_at = null, ended_at = now() where id = $1`,
    [ids[0]],
  )
  await write(
    store,
    'test_many',
    `insert into webhook_deliveries (id, account_id, webhook_id, event_id, type, lane, body)
     select 'dlv_' || lpad(translate(n::text, '0', 'a'), 22, 'z'), $1, $2, 'evt_' || lpad(translate(n::text, '0', 'a'), 22, 'z'),
       'payment', 'pay_b', '{}' from generate_series(1, $3::integer) n`,
    [alice, webhookId, limits.listLookedAtMax],
  )
  const first = await ask('GET', `${path}?status=failed`)
  expect(idsOf(first.body)).toEqual([])
  const next = String(first.body['nextCursor'])
  const second = await ask('GET', `${path}?status=failed&cursor=${next}`)
  expect([idsOf(second.body), second.body['nextCursor']]).toEqual([[ids[0]], null])
})
