import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, DeliveryId, WebhookId } from '../kernel/id.ts'
import { systemClock } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Tx } from '../store/postgres.ts'
import { write } from '../store/test-write.ts'
import * as deliveries from './delivery-store.ts'
import { createWebhook } from './manage.ts'
import { countRedeliveries } from './redelivery-store.ts'
import { searchDeliveries } from './search-store.ts'
import * as webhooks from './store.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

const HOUR = 3_600_000
const TYPE = 'payment'

let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks({ givesOut: false })
})
afterAll(() => room.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) =>
  room.database.store.inTransaction('service', work)

interface Place {
  readonly accountId: AccountId
  readonly webhookId: WebhookId
}
/** One account has two endpoints, another one a third. */
let own: Place
let beside: Place
let theirs: Place
beforeEach(async () => {
  const accountId = await room.newAccount()
  own = await anEndpoint(accountId)
  beside = await anEndpoint(accountId)
  theirs = await anEndpoint(await room.newAccount())
})

async function anEndpoint(accountId: AccountId): Promise<Place> {
  const terms = { url: 'http://127.0.0.1:9/', description: null, types: [], enabled: true }
  const ordered = { accountId, actor: SYSTEM, plan: 'enterprise' as const, key: undefined }
  const { webhook } = await createWebhook(room.deps, { ...ordered, ...terms })
  return { accountId, webhookId: webhook.id }
}

const remove = ({ accountId, webhookId }: Place) =>
  inService((tx) => webhooks.deleteWebhook(tx, accountId, webhookId, 0))
const listed = async ({ accountId }: Place) => {
  const found = await inService((tx) => webhooks.listWebhooks(tx, accountId))
  return found.map(({ id }) => id).toSorted()
}
const rowOf = ({ webhookId }: Place) =>
  room.database.store.query('test_row', 'select w from webhooks w where id = $1', [webhookId])

test('an endpoint is found, kept and ended by its own account alone, and by nobody once it is deleted', async () => {
  const seen = (place: Place, by = place.accountId) =>
    inService(async (tx) => [
      (await webhooks.findWebhook(tx, by, place.webhookId))?.id,
      (await webhooks.lockWebhook(tx, by, place.webhookId))?.id,
    ])
  expect(await seen(own)).toEqual([own.webhookId, own.webhookId])
  expect(await seen(own, theirs.accountId)).toEqual([undefined, undefined])
  expect(await remove({ ...own, accountId: theirs.accountId })).toBe(false)
  expect(await listed(own)).toEqual([own.webhookId, beside.webhookId].toSorted())
  const accounts = [own.accountId, theirs.accountId]
  expect([await remove(own), await remove(own)]).toEqual([true, false])
  expect(await seen(own)).toEqual([undefined, undefined])
  expect([await listed(own), await listed(theirs)]).toEqual([
    [beside.webhookId],
    [theirs.webhookId],
  ])
  const live = (...of: readonly AccountId[]) => inService((tx) => webhooks.liveWebhooks(tx, of))
  expect(await live(...accounts)).toEqual(new Set([beside.webhookId, theirs.webhookId]))
  expect(await live(theirs.accountId)).toEqual(new Set([theirs.webhookId]))
})

test('an endpoint is changed by its own account alone, and nothing else is', async () => {
  const others = [await rowOf(beside), await rowOf(theirs)]
  const terms = {
    ...{ url: 'http://127.0.0.1:9/new', description: null, types: [], enabled: true },
    ...{ resumes: true, nowMilliseconds: 5 },
  }
  const secret = { sealedSecret: Buffer.from('another') }
  const until = { untilMilliseconds: null, nowMilliseconds: 6 }
  const change = ({ webhookId: id, accountId }: Place) =>
    inService((tx) => webhooks.updateWebhook(tx, { id, accountId }, terms))
  const rotate = ({ webhookId: id, accountId }: Place) =>
    inService((tx) => webhooks.replaceSecret(tx, { id, accountId }, secret, until))
  for (const foreign of [
    { ...own, accountId: theirs.accountId },
    { ...theirs, accountId: own.accountId },
  ]) {
    await expect(change(foreign)).rejects.toThrow()
    await expect(rotate(foreign)).rejects.toThrow()
  }
  expect(await change(own)).toMatchObject({ id: own.webhookId, url: terms.url })
  expect(await rotate(own)).toMatchObject({ id: own.webhookId })
  expect([await rowOf(beside), await rowOf(theirs)]).toEqual(others)
  await remove(own)
  await expect(change(own)).rejects.toThrow()
  await expect(rotate(own)).rejects.toThrow()
})

test('an endpoint that was paused or off begins its time anew when it is resumed, and one that was neither does not', async () => {
  const terms = { url: 'http://127.0.0.1:9/', description: null, types: [] }
  const { webhookId: id, accountId } = own
  const change = async (enabled: boolean) => {
    const [before] = await resumed()
    const next = { ...terms, enabled, resumes: enabled, nowMilliseconds: 5 }
    await inService((tx) => webhooks.updateWebhook(tx, { id, accountId }, next))
    const [after] = await resumed()
    return after?.at !== before?.at
  }
  const resumed = () =>
    room.database.store.query<{ at: string | null }>(
      'test_resumed',
      'select resumed_at::text as at from webhooks where id = $1',
      [id],
    )
  expect(await change(true)).toBe(false)
  expect([await change(false), await change(true), await change(true)]).toEqual([
    ...[false, true, false],
  ])
  const pause = `update webhooks set paused_at = now(), pause_reason = 'failing' where id = $1`
  await write(room.database.store, 'test_pause', pause, [id])
  expect([await change(true), await change(true)]).toEqual([true, false])
})

test('a secret is found where it signs now, of its own endpoint alone', async () => {
  const now = systemClock.nowMilliseconds()
  const put = ({ webhookId: id, accountId }: Place, text: string, untilMilliseconds: number) => {
    const kept = { untilMilliseconds, nowMilliseconds: now }
    const sealedSecret = Buffer.from(text)
    return inService((tx) => webhooks.replaceSecret(tx, { id, accountId }, { sealedSecret }, kept))
  }
  const find = async ({ webhookId: id, accountId }: Place, text: string) => {
    const digest = createHash('sha256').update(text).digest('hex')
    const found = await inService((tx) => webhooks.findSealed(tx, { id, accountId }, digest))
    return found === undefined ? undefined : Buffer.from(found).toString()
  }
  await put(own, 'first', now)
  await put(own, 'second', now + HOUR)
  const all = async (place: Place) => [await find(place, 'first'), await find(place, 'second')]
  expect(await all(own)).toEqual(['first', 'second'])
  expect(await all({ ...own, accountId: theirs.accountId })).toEqual([undefined, undefined])
  expect(await all(beside)).toEqual([undefined, undefined])
  await put(own, 'third', now - HOUR)
  expect([...(await all(own)), await find(own, 'third')]).toEqual([
    ...[undefined, undefined, 'third'],
  ])
  await remove(own)
  expect(await find(own, 'third')).toBeUndefined()
})

async function deliver(
  { accountId, webhookId }: Place,
  { redeliveryOf = null, lane = 'pay_1' }: { redeliveryOf?: DeliveryId | null; lane?: string } = {},
): Promise<DeliveryId> {
  const id = newId(systemRandom, 'dlv')
  const one = { id, accountId, webhookId, eventId: newId(systemRandom, 'evt'), type: TYPE } as const
  await inService((tx) =>
    deliveries.insertDeliveries(tx, [{ ...one, lane, redeliveryOf, body: '{}' }]),
  )
  return id
}

test('deliveries are shown to the account of their endpoint, and each endpoint its own', async () => {
  const first = await deliver(own)
  const [other, foreign] = [await deliver(beside), await deliver(theirs)]
  const again = await deliver(own, { redeliveryOf: first })
  for (const place of [beside, theirs]) await deliver(place, { redeliveryOf: first })
  await end(first, other, foreign)
  const page = { status: undefined, count: 9 }
  const range = {
    ...{ fromMilliseconds: 0, toMilliseconds: systemClock.nowMilliseconds() + HOUR },
    ...{ status: 'all' as const, after: undefined, count: 9, bytesMax: 1_000 },
  }
  const ids = (found: readonly { readonly id: DeliveryId }[]) => found.map(({ id }) => id)
  const shown = (place: Place) =>
    inService(async (tx) => ({
      list: ids(await deliveries.listDeliveries(tx, place, page)),
      before: ids(await deliveries.listDeliveries(tx, place, { ...page, before: other })),
      search: ids((await searchDeliveries(tx, place, page)).deliveries),
      behind: ids((await searchDeliveries(tx, place, { ...page, before: other })).deliveries),
      ended: ids((await deliveries.endedDeliveries(tx, place, range)).ended),
      after: ids((await deliveries.endedDeliveries(tx, place, { ...range, after: other })).ended),
      found: (await deliveries.findDelivery(tx, place, first))?.id,
      waiting: await countRedeliveries(tx, place, 9),
    }))
  const nothing = { list: [], before: [], search: [], behind: [], ended: [], after: [] }
  expect(await shown(own)).toEqual({
    ...{ ...nothing, list: [again, first], search: [again, first], ended: [first] },
    ...{ found: first, waiting: 1 },
  })
  for (const foreignPlace of [
    { ...own, accountId: theirs.accountId },
    { ...theirs, accountId: own.accountId },
  ]) {
    expect(await shown(foreignPlace)).toEqual({ ...nothing, found: undefined, waiting: 0 })
  }
  expect((await shown(beside)).found).toBeUndefined()
})

test('what waits for one payment stands behind what waits for the same at the same endpoint, and for nothing else', async () => {
  const [first, second] = [await deliver(own), await deliver(own)]
  const free = [await deliver(own, { lane: 'pay_2' }), await deliver(beside), await deliver(theirs)]
  const due = async () => {
    const rows = await room.database.store.query<{ id: DeliveryId }>(
      'test_due',
      'select id from webhook_deliveries where id = any($1) and due_at is not null',
      [[first, second, ...free]],
    )
    return new Set(rows.map(({ id }) => id))
  }
  expect(await due()).toEqual(new Set([first, ...free]))
  // The oldest goes, and of what stood behind it the next is due; of a deleted endpoint everything goes.
  await write(
    room.database.store,
    'test_old',
    `update webhook_deliveries set created_at = created_at - interval '1 day' where id = $1`,
    [first],
  )
  await remove(theirs)
  const before = systemClock.nowMilliseconds() - HOUR
  expect(await inService((tx) => deliveries.forgetDeliveries(tx, before, 9))).toBe(2)
  expect(await due()).toEqual(new Set([second, ...free.slice(0, 2)]))
})

const end = (...ids: readonly DeliveryId[]) =>
  write(
    room.database.store,
    'test_ended',
    `update webhook_deliveries set status = 'failed', due_at = null, ended_at = now() where id = any($1)`,
    [ids],
  )

test('what comes after all of a payment has ended is due at once', async () => {
  await end(await deliver(own))
  const next = await deliver(own)
  const due = await room.database.store.query(
    'test_due_next',
    'select from webhook_deliveries where id = $1 and due_at is not null',
    [next],
  )
  expect(due).toHaveLength(1)
})

test('a range of what is sent again holds what ended within it, oldest first and by pages, and nothing that was sent again itself', async () => {
  const [first, second, third] = [await deliver(own), await deliver(own), await deliver(own)]
  const again = await deliver(own, { redeliveryOf: first })
  await end(first, second, third, again)
  await deliver(own)
  const hours = [3, 2, 1] as const
  for (const [index, id] of [first, second, third].entries()) {
    await write(
      room.database.store,
      'test_hours',
      `update webhook_deliveries set created_at = to_timestamp(0) + $2 * interval '1 hour' where id = $1`,
      [id, hours[index]],
    )
  }
  const range = async (
    more: Partial<Parameters<typeof deliveries.endedDeliveries>[2]> = {},
  ): Promise<readonly [readonly DeliveryId[], boolean]> => {
    const asked = {
      ...{ fromMilliseconds: 0, toMilliseconds: systemClock.nowMilliseconds() + HOUR, count: 9 },
      ...{ status: 'all' as const, after: undefined, bytesMax: 1_000 },
    }
    const { ended, hasMore } = await inService((tx) =>
      deliveries.endedDeliveries(tx, own, { ...asked, ...more }),
    )
    return [ended.map(({ id }) => id), hasMore]
  }
  expect(await range()).toEqual([[first, second, third], false])
  expect(await range({ count: 2 })).toEqual([[first, second], true])
  expect(await range({ bytesMax: 4 })).toEqual([[first, second], true])
  expect(await range({ after: second })).toEqual([[third], false])
  expect(await range({ fromMilliseconds: 2 * HOUR })).toEqual([[first, second], false])
  expect(await range({ toMilliseconds: 2 * HOUR })).toEqual([[third], false])
  expect(await range({ status: 'delivered' })).toEqual([[], false])
})
