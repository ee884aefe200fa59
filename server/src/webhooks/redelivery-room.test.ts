import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { limits } from '../kernel/limits.ts'
import { write } from '../store/test-write.ts'
import { createWebhook } from './manage.ts'
import { redeliver, redeliverRange } from './repeat.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

const MAX = limits.webhookRedeliveriesWaitingMax
let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks()
})
afterAll(() => room.close())

/** An endpoint with one page of deliveries that were given up. */
async function withFailed(name: string) {
  const accountId = await room.newAccount()
  const { webhook } = await createWebhook(room.deps, {
    ...{ accountId, actor: SYSTEM, plan: 'standard', key: undefined },
    ...{ url: 'http://127.0.0.1:9/', description: null, types: [], enabled: true },
  })
  const idOf = (n: number) => `dlv_${name}${`${n}`.replaceAll('0', 'z').padStart(21, 'A')}`
  await write(
    room.database.store,
    'test_ended',
    `insert into webhook_deliveries (id, account_id, webhook_id, event_id, type, lane, body, status, ended_at)
     select id, $1, $2, 'evt', 'payment', 'lane ' || id, '{}', 'failed', now() from unnest($3::text[]) as id`,
    [
      accountId,
      webhook.id,
      Array.from({ length: limits.webhookRedeliveriesMax }, (_, n) => idOf(n)),
    ],
  )
  const whose = { accountId, webhookId: webhook.id }
  const page = (key?: string, after?: string) =>
    redeliverRange(room.deps, {
      ...{ ...whose, key, fromMilliseconds: 0, toMilliseconds: 9e14 },
      ...{ status: 'failed', after },
    })
  return {
    page,
    deliveryId: idOf(0),
    whose,
    sendAllAgain: (key?: string) => page(key),
    waiting: async () => {
      const rows = await room.database.store.query<{ count: string }>(
        'test_waiting',
        `select count(*) as count from webhook_deliveries where webhook_id = $1 and status = 'waiting'`,
        [webhook.id],
      )
      return Number(rows[0]?.count)
    },
  }
}

test('however many ask at once, no more than so many deliveries of an endpoint wait to be sent again', async () => {
  const { sendAllAgain, waiting } = await withFailed('A')
  const calls = MAX / limits.webhookRedeliveriesMax + 6
  const ends = await Promise.allSettled(Array.from({ length: calls }, () => sendAllAgain()))
  const refused = ends.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(6)
  for (const one of refused) expect(one).toMatchObject({ reason: { code: 'RATE_LIMIT' } })
  expect(await waiting()).toBe(MAX)
})

test('one delivery more is refused as well, and what was asked before under its key is answered as it was', async () => {
  const { whose, deliveryId, sendAllAgain, waiting } = await withFailed('B')
  const first = await sendAllAgain('again')
  for (let page = 1; page < MAX / limits.webhookRedeliveriesMax; page += 1) await sendAllAgain()
  const one = { ...whose, deliveryId, key: 'one' }
  await expect(redeliver(room.deps, one)).rejects.toMatchObject({ code: 'RATE_LIMIT' })
  expect(await sendAllAgain('again')).toEqual(first)
  expect(await waiting()).toBe(MAX)
  // What has ended makes room, also under the key of what was refused.
  await write(
    room.database.store,
    'test_end',
    `update webhook_deliveries set status = 'failed', due_at = null, ended_at = now() where position = (
       select max(position) from webhook_deliveries where webhook_id = $1)`,
    [whose.webhookId],
  )
  expect(await redeliver(room.deps, one)).toMatchObject({ redeliveryOf: deliveryId })
  expect(await waiting()).toBe(MAX)
})

test('what waits of one endpoint keeps nothing of another back', async () => {
  const { sendAllAgain } = await withFailed('C')
  const other = await withFailed('D')
  for (let page = 0; page < MAX / limits.webhookRedeliveriesMax; page += 1) await sendAllAgain()
  await expect(sendAllAgain()).rejects.toMatchObject({ code: 'RATE_LIMIT' })
  expect(await other.sendAllAgain()).toMatchObject({ redelivered: limits.webhookRedeliveriesMax })
})

test('a page of long deliveries ends where they come to much, and the pages together send each of them once', async () => {
  const { page, whose } = await withFailed('E')
  const most = limits.webhookRedeliveredBytesMax
  // One is longer than a page alone, and characters take more than one byte.
  await write(
    room.database.store,
    'test_long',
    `with ranked as (select id, row_number() over (order by position) as nth from webhook_deliveries where webhook_id = $1)
     update webhook_deliveries d set body = '"' || repeat('é', case nth when 3 then $2::int else 16 * 1024 end) || '"'
     from ranked where ranked.id = d.id and nth <= 100`,
    [whose.webhookId, most],
  )
  const counts: number[] = []
  for (let after: string | undefined; ;) {
    const { redelivered, nextAfter } = await page(undefined, after)
    counts.push(redelivered)
    if (nextAfter === null) break
    after = nextAfter
  }
  const pages = await room.database.store.query<{ count: string; bytes: string; sources: string }>(
    'test_pages',
    `select count(*) as count, sum(octet_length(body)) as bytes, count(distinct redelivery_of) as sources
     from webhook_deliveries where webhook_id = $1 and redelivery_of is not null group by created_at order by created_at`,
    [whose.webhookId],
  )
  expect(pages.map(({ count }) => Number(count))).toEqual(counts)
  for (const { bytes, count } of pages)
    expect(Number(count) === 1 || Number(bytes) <= most).toBe(true)
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
  expect(sum(pages.map(({ sources }) => Number(sources)))).toBe(limits.webhookRedeliveriesMax)
})
