import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import type { Tx } from '../store/postgres.ts'
import { forgetDeliveries, insertDeliveries, listDeliveries } from './delivery-store.ts'
import type { TakenDelivery } from './delivery.ts'
import { webhookFigures } from './figures-store.ts'
import { changeWebhook, createWebhook } from './manage.ts'
import { finishAttempt, keepLeases, takeDue, takeTurn } from './queue-store.ts'
import { deleteWebhook } from './store.ts'
import { openTestEndpoint, openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

const SECONDS = 60
const ALL = { free: 1_000, freeForTroubled: 1_000 }
let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks()
})
afterAll(() => room.close())

const asService = <T>(work: (tx: Tx) => Promise<T>) =>
  room.database.store.inTransaction('service', work)

const ordered = { actor: SYSTEM, plan: 'enterprise', key: undefined } as const

async function aWebhook(url = 'http://127.0.0.1:9/') {
  const accountId = await room.newAccount()
  const terms = { url, description: null, types: [], enabled: true }
  const { webhook } = await createWebhook(room.deps, { ...ordered, accountId, ...terms })
  return { accountId, webhookId: webhook.id }
}

const listed = ({ accountId, webhookId }: { accountId: AccountId; webhookId: WebhookId }) =>
  room.database.store.inTransaction(accountId, (tx) =>
    listDeliveries(
      tx,
      { accountId, webhookId },
      { status: undefined, before: undefined, count: 1_000 },
    ),
  )

const take = async (lease: string, bounds = ALL) =>
  (await asService((tx) => takeDue(tx, lease, bounds))).deliveries

/** An endpoint that is trusted with several requests at once, with so many payments waiting. */
async function withWaiting(payments: number) {
  const whose = await aWebhook()
  for (let n = 0; n < payments; n += 1) await room.tell(whose.accountId, `pay_${n}`)
  await until('all wait', async () => (await listed(whose)).length === payments, {
    seconds: SECONDS,
  })
  await asService((tx) =>
    tx.query('test_trust', 'update webhooks set in_trouble = false where id = $1', [
      whose.webhookId,
    ]),
  )
  return whose
}
const ofOne = (taken: readonly TakenDelivery[], webhookId: WebhookId) =>
  taken.filter((one) => one.webhookId === webhookId)
const expire = (webhookId: WebhookId) =>
  asService((tx) =>
    tx.query(
      'test_expire',
      `update webhook_deliveries set due_at = now() - interval '1 second' where webhook_id = $1 and lease is not null`,
      [webhookId],
    ),
  )

test('whoever takes at once takes different ones, and all together no more than an endpoint may get', async () => {
  const { webhookId } = await withWaiting(limits.webhookRequestsPerEndpointMax * 3)
  const takers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((lease) => take(lease)))
  const taken = ofOne(takers.flat(), webhookId)
  expect(taken).toHaveLength(limits.webhookRequestsPerEndpointMax)
  expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length)
})

test('an instance with room for few takes of every endpoint first, and of those in trouble no more than it may', async () => {
  const good = [await withWaiting(4), await withWaiting(4), await withWaiting(4)]
  const troubled = [await withWaiting(4), await withWaiting(4)]
  await asService((tx) =>
    tx.query('test_distrust', 'update webhooks set in_trouble = true where id = any($1)', [
      troubled.map(({ webhookId }) => webhookId),
    ]),
  )
  const bounds = { free: 4, freeForTroubled: 1 }
  const taken = await take('few', bounds)
  expect(taken).toHaveLength(4)
  expect(taken.filter(({ isInTrouble }) => isInTrouble)).toHaveLength(1)
  for (const { webhookId } of good) expect(ofOne(taken, webhookId)).toHaveLength(1)
})

test('a look goes on after the endpoint at which the last one ended', async () => {
  const both = [await withWaiting(1), await withWaiting(1)].map(({ webhookId }) => webhookId).sort()
  const [first = '', second] = both
  const { deliveries, next } = await asService((tx) => takeDue(tx, 'on', { ...ALL, after: first }))
  expect(next).toBeNull()
  const taken = deliveries.map(({ webhookId }) => webhookId)
  expect(taken).toContain(second)
  expect(taken).not.toContain(first)
})

test('a lease that is kept is not taken over, one that ran out is, and its first holder writes nothing then', async () => {
  const { webhookId } = await withWaiting(1)
  const [first] = ofOne(await take('first'), webhookId)
  if (first === undefined) throw new Error('nothing was due')
  await expire(webhookId)
  await asService((tx) => keepLeases(tx, ['first']))
  expect(ofOne(await take('second'), webhookId)).toEqual([])
  await expire(webhookId)
  const [second] = ofOne(await take('second'), webhookId)
  expect(second).toMatchObject({ id: first.id, attempts: 0 })
  const over = { kind: 'delivered' } as const
  expect(await asService((tx) => finishAttempt(tx, first, over, []))).toBe(false)
  expect(second && (await asService((tx) => finishAttempt(tx, second, over, [])))).toBe(true)
})

test('what is given up lets the next of its payment go, and what says nothing does not count as an attempt', async () => {
  const whose = await aWebhook()
  for (const n of [1, 2]) await room.tell(whose.accountId, 'pay_1', { n })
  await until('both wait', async () => (await listed(whose)).length === 2, { seconds: SECONDS })
  const takeOwn = async () => ofOne(await take('one'), whose.webhookId)
  const [head, ...others] = await takeOwn()
  if (head === undefined) throw new Error('nothing was due')
  expect(others).toEqual([])
  const later = { kind: 'later', waitMilliseconds: -1, counts: false } as const
  await asService((tx) => finishAttempt(tx, head, later, []))
  const [again] = await takeOwn()
  expect(again).toMatchObject({ id: head.id, attempts: 0 })
  await asService((tx) => finishAttempt(tx, head, { kind: 'failed' }, []))
  expect(await takeOwn()).toMatchObject([{ attempts: 0 }])
  expect((await listed(whose)).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['waiting', 0],
    ['failed', 1],
  ])
})

test('a delivery that is enqueued while the one before it ends is not forgotten', async () => {
  const whose = await withWaiting(1)
  const [head] = ofOne(await take('one'), whose.webhookId)
  const [only] = await listed(whose)
  if (head === undefined || only === undefined) throw new Error('nothing was due')
  let isOver = false
  const ending = await asService(async (tx) => {
    const next = { ...only, id: newId(room.deps.random, 'dlv'), lane: head.lane }
    await insertDeliveries(tx, [{ ...next, accountId: whose.accountId }])
    const ended = asService((other) => finishAttempt(other, head, { kind: 'delivered' }, []))
    void ended.then(() => (isOver = true))
    await until(
      'the end waits for the lane, or does not',
      async () => {
        const waiting = await tx.query(
          'test_waits',
          `select from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        )
        return isOver || waiting.length > 0
      },
      { seconds: SECONDS },
    )
    return { ended }
  })
  expect(await ending.ended).toBe(true)
  const taken = ofOne(await take('two'), whose.webhookId)
  expect(taken).toHaveLength(1)
})

test('deliveries of a deleted webhook and those older than the log are removed, others stay', async () => {
  const [kept, gone] = [await withWaiting(2), await withWaiting(3)]
  await asService((tx) => deleteWebhook(tx, gone.accountId, gone.webhookId, Date.now()))
  await asService((tx) =>
    tx.query(
      'test_age',
      `update webhook_deliveries set created_at = now() - interval '40 days'
       where position = (select min(position) from webhook_deliveries where webhook_id = $1)`,
      [kept.webhookId],
    ),
  )
  const before = Date.now() - limits.webhookLogDays * 24 * 3_600_000
  await asService((tx) => forgetDeliveries(tx, before, 100))
  expect(await listed(kept)).toHaveLength(1)
  expect(await listed(gone)).toHaveLength(0)
})

test('figures say what waits, since when, and how many endpoints do not get anything', async () => {
  const before = await asService(webhookFigures)
  const whose = await withWaiting(3)
  const paused = await withWaiting(2)
  await asService((tx) =>
    tx.query(
      'test_pause',
      `update webhooks set paused_at = now(), pause_reason = 'failing' where id = $1`,
      [paused.webhookId],
    ),
  )
  const after = await asService(webhookFigures)
  expect(after.waiting - before.waiting).toBe(5)
  expect([after.active - before.active, after.paused - before.paused]).toEqual([1, 1])
  const [oldest] = (await listed(whose)).map((one) => one.dueAtMilliseconds ?? 0).sort()
  expect(after.oldestDueAtMilliseconds).toBeLessThanOrEqual(oldest ?? 0)
})

test('a lane whose front is forgotten goes on with the next', async () => {
  const whose = await aWebhook()
  for (const n of [1, 2, 3]) await room.tell(whose.accountId, 'pay_1', { n })
  await until('all wait', async () => (await listed(whose)).length === 3, { seconds: SECONDS })
  await asService((tx) =>
    tx.query(
      'test_age_front',
      `update webhook_deliveries set created_at = now() - interval '40 days'
       where position = (select min(position) from webhook_deliveries where webhook_id = $1)`,
      [whose.webhookId],
    ),
  )
  const before = Date.now() - limits.webhookLogDays * 24 * 3_600_000
  await asService((tx) => forgetDeliveries(tx, before, 100))
  const due = (await listed(whose)).map(({ dueAtMilliseconds }) => dueAtMilliseconds !== null)
  expect(due).toEqual([false, true])
})

test('what another ends while it is being taken is not taken', async () => {
  const { webhookId } = await withWaiting(1)
  const [head] = ofOne(await take('lapsed'), webhookId)
  if (head === undefined) throw new Error('nothing was due')
  await expire(webhookId)
  const ending = await asService(async (tx) => {
    const later = { kind: 'later', waitMilliseconds: 3_600_000, counts: true } as const
    await finishAttempt(tx, head, later, [])
    let isOver = false
    const taken = take('other')
    void taken.finally(() => (isOver = true)).catch(() => undefined)
    await until(
      'the taking waits for the row, or does not',
      async () => {
        const waiting = await tx.query(
          'test_waits_for_row',
          `select from ${WAITS_HERE} where locktype = 'transactionid'`,
        )
        return isOver || waiting.length > 0
      },
      { seconds: SECONDS },
    )
    return { taken }
  })
  expect(ofOne(await ending.taken, webhookId)).toEqual([])
})

/** Takes part in nothing any more, so that a test has the queue for itself. */
const silenceOthers = () =>
  asService((tx) => tx.query('test_silence', 'update webhooks set enabled = false'))

test('a long queue of one account lets an endpoint that has something new have its turn', async () => {
  await silenceOthers()
  const [endpoints, perRound] = [20, 4]
  const accountId = await room.newAccount()
  for (let n = 0; n < endpoints; n += 1) {
    const terms = { url: `http://127.0.0.1:9/${n}`, description: null, types: [], enabled: true }
    await createWebhook(room.deps, { ...ordered, accountId, ...terms })
  }
  for (let n = 0; n < 4; n += 1) await room.tell(accountId, `pay_${n}`)
  const waiting = async () =>
    (
      await asService((tx) =>
        tx.query('test_queued', 'select from webhook_deliveries where account_id = $1', [
          accountId,
        ]),
      )
    ).length
  await until('all wait', async () => (await waiting()) === 4 * endpoints, { seconds: SECONDS })
  const good = await aWebhook()
  await room.tell(good.accountId, 'pay_1')
  await until('it waits', async () => (await listed(good)).length === 1, { seconds: SECONDS })
  let rounds = 0
  for (let isTaken = false; !isTaken && rounds < 4 * endpoints; rounds += 1) {
    const taken = await take(`round_${rounds}`, { free: 64, freeForTroubled: perRound })
    isTaken = ofOne(taken, good.webhookId).length > 0
    await asService((tx) =>
      tx.query(
        'test_fail_all',
        `update webhook_deliveries set lease = null, due_at = now() + interval '6 hours' where lease is not null`,
      ),
    )
  }
  expect(rounds).toBeLessThanOrEqual(Math.ceil((endpoints + 1) / perRound))
})

test('all endpoints of an account together get no more requests at once than an account may have', async () => {
  await silenceOthers()
  const accountId = await room.newAccount()
  const terms = { url: 'http://127.0.0.1:9/', description: null, types: [], enabled: true }
  const each = limits.webhookRequestsPerEndpointMax
  const endpoints = limits.webhookRequestsPerAccountMax / each + 1
  for (let n = 0; n < endpoints; n += 1) {
    await createWebhook(room.deps, { ...ordered, accountId, ...terms })
  }
  await asService((tx) =>
    tx.query('test_trust_all', 'update webhooks set in_trouble = false where account_id = $1', [
      accountId,
    ]),
  )
  for (let n = 0; n < each; n += 1) await room.tell(accountId, `pay_${n}`)
  const own = async () =>
    asService((tx) =>
      tx.query('test_own', 'select from webhook_deliveries where account_id = $1', [accountId]),
    )
  await until('all wait', async () => (await own()).length === each * endpoints, {
    seconds: SECONDS,
  })
  const first = await take('first', { free: 5, freeForTroubled: 5 })
  const second = await take('second')
  expect(first.length + second.length).toBe(limits.webhookRequestsPerAccountMax)
})

test('the three days of a delivery begin with its first attempt, and anew when a pause ends', async () => {
  const whose = await withWaiting(1)
  const { accountId, webhookId } = whose
  const hours = (age: number) => Math.round(age / 3_600_000)
  const again = { kind: 'later', waitMilliseconds: -1, counts: true } as const
  const nextAge = async () => {
    const [taken] = ofOne(await take('one'), webhookId)
    if (taken === undefined) throw new Error('nothing was due')
    await asService((tx) => finishAttempt(tx, taken, again, []))
    return hours(taken.ageMilliseconds)
  }
  const older = (column: 'created_at' | 'first_taken_at') =>
    asService((tx) =>
      tx.query(
        `test_${column}`,
        `update webhook_deliveries set ${column} = now() - interval '80 hours' where webhook_id = $1`,
        [webhookId],
      ),
    )
  await older('created_at')
  expect(await nextAge()).toBe(0)
  await older('first_taken_at')
  expect(await nextAge()).toBe(80)
  await changeWebhook(room.deps, { accountId, webhookId, actor: SYSTEM }, { enabled: true })
  expect(await nextAge()).toBe(80)
  await asService((tx) =>
    tx.query(
      'test_pause_one',
      `update webhooks set paused_at = now(), pause_reason = 'failing' where id = $1`,
      [webhookId],
    ),
  )
  await changeWebhook(room.deps, { accountId, webhookId, actor: SYSTEM }, { enabled: true })
  expect(await nextAge()).toBe(0)
})

test('payments told to a failing endpoint by several senders at once arrive in order, and none is forgotten', async () => {
  const endpoint = await openTestEndpoint()
  const whose = await aWebhook(endpoint.url)
  let requests = 0
  const taken: { readonly id: string; readonly payment: number; readonly n: number }[] = []
  endpoint.answer((heard, response) => {
    requests += 1
    const isTaken = requests % 3 !== 0
    const { id, data } = JSON.parse(heard.text) as {
      id: string
      data: { payment: number; n: number }
    }
    if (isTaken && !taken.some((one) => one.id === id)) taken.push({ id, ...data })
    response.writeHead(isTaken ? 200 : 500).end()
  })
  const senders = [room.start(), room.start(), room.start()]
  const [payments, events] = [4, 10]
  for (let n = 0; n < events; n += 1) {
    await Promise.all(
      Array.from({ length: payments }, (_, payment) =>
        room.tell(whose.accountId, `pay_${payment}`, { payment, n }),
      ),
    )
  }
  await until(
    'all arrived',
    async () => {
      await asService(async (tx) => {
        await takeTurn(tx)
        await tx.query(
          'test_hurry_one',
          'update webhook_deliveries set due_at = now() where webhook_id = $1 and lease is null and due_at > now()',
          [whose.webhookId],
        )
      })
      return taken.length === payments * events
    },
    { seconds: SECONDS },
  )
  for (const [, own] of Map.groupBy(taken, ({ payment }) => payment)) {
    expect(own.map(({ n }) => n)).toEqual(Array.from({ length: events }, (_, n) => n))
  }
  await Promise.all(senders.map((sender) => sender.stop()))
  await endpoint.close()
})
