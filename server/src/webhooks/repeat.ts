import { Refusal } from '@florin/wire/errors.ts'
import { ACCOUNT_EVENTS } from '@florin/wire/event-types.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Tx } from '../store/postgres.ts'
import { claimOnce } from '../idempotency/claim-once.ts'
import type { Intent } from '../idempotency/claim-once.ts'
import { endedDeliveries, findDelivery, insertDeliveries } from './delivery-store.ts'
import type { Delivery, NewDelivery } from './delivery.ts'
import { eventText } from '../events/framed-event.ts'
import type { ManageDeps } from './manage.ts'
import { QUEUE } from './queue-name.ts'
import { demandRedeliveryRoom } from './redelivery-room.ts'
import { findWebhook } from './store.ts'

interface Asked {
  readonly accountId: AccountId
  readonly webhookId: string
  readonly key: string | undefined
}

/** Sends an event again that was delivered or given up. Gives the new delivery. Refuses what still waits, and more than may wait. */
export async function redeliver(
  deps: ManageDeps,
  { accountId, webhookId, key, deliveryId }: Asked & { readonly deliveryId: string },
): Promise<Delivery> {
  const asked = { webhookId, deliveryId }
  return addOne(
    deps,
    { accountId, operation: 'redeliverWebhook', key, asked },
    async (tx, whose) => {
      const found = await findDelivery(tx, whose, deliveryId)
      if (found === undefined) throw new Refusal('NOT_FOUND')
      if (found.status === 'waiting') {
        throw new Refusal('INVALID_PARAMETERS', {
          details: { deliveryId: 'is still being delivered' },
        })
      }
      return again(deps, accountId, found)
    },
  )
}

/** Sends an event that nothing happened for: of a payment that does not exist, marked as test and sandbox. */
export async function sendTest(
  deps: ManageDeps,
  { accountId, webhookId, key }: Asked,
): Promise<Delivery> {
  const asked = { webhookId }
  return addOne(deps, { accountId, operation: 'testWebhook', key, asked }, async (_tx, whose) => {
    const id = newId(deps.random, 'evt')
    const paymentId = newId(deps.random, 'pay')
    const data = { ...TEST_PAYMENT, paymentId, test: true, sandbox: true }
    return {
      id: newId(deps.random, 'dlv'),
      accountId,
      webhookId: whose.webhookId,
      eventId: id,
      type: 'payment',
      lane: paymentId,
      redeliveryOf: null,
      body: eventText({
        accountId,
        id,
        type: 'payment',
        channel: ACCOUNT_EVENTS.payment,
        // None of the account's events: it must not look like a gap.
        sequence: 0,
        resourceId: paymentId,
        dataText: JSON.stringify(data),
        createdAtMilliseconds: deps.clock.nowMilliseconds(),
      }),
    }
  })
}

const TEST_PAYMENT = {
  type: 'received',
  status: 'settled',
  network: 'eip155:84532',
  asset: 'native',
  amount: '0.001',
  amountBaseUnits: '1000000000000000',
  sender: '0x0000000000000000000000000000000000000001',
  recipient: '0x0000000000000000000000000000000000000002',
  resource: null,
  signature: null,
  blockHeight: null,
  failure: null,
} as const

/** A moment that the database can hold. */
const MILLISECONDS = /^\d{1,15}$/

/**
 * Sends again what ended within a range of time, `countMax` at once, or fewer that are long, oldest first: others wait for their lanes meanwhile.
 * Without an end the range ends at the time of the first
 * page, which `nextAfter` carries to the others.
 * @throws {Refusal} NOT_FOUND, RATE_LIMIT when more would wait than limits.webhookRedeliveriesWaitingMax
 */
export async function redeliverRange(
  deps: ManageDeps,
  order: Asked & {
    readonly fromMilliseconds: number
    readonly toMilliseconds: number | undefined
    readonly status: 'failed' | 'delivered' | 'all'
    readonly after: string | undefined
  },
  countMax: number = limits.webhookRedeliveriesMax,
): Promise<{ readonly redelivered: number; readonly nextAfter: string | null }> {
  const { accountId, webhookId, key, ...range } = order
  const nowMilliseconds = deps.clock.nowMilliseconds()
  const [after, pinned = '', reached = ''] = range.after?.split('.') ?? []
  const toMilliseconds =
    range.toMilliseconds ?? (MILLISECONDS.test(pinned) ? Number(pinned) : nowMilliseconds)
  return deps.store.inTransaction(accountId, async (tx) => {
    const webhook = await demandWebhook(tx, accountId, webhookId)
    const whose = { accountId, webhookId: webhook }
    const { ended, hasMore } = await endedAfter(tx, whose, {
      ...range,
      ...{ toMilliseconds, after, reached },
      ...{ count: countMax, bytesMax: limits.webhookRedeliveredBytesMax },
    })
    const last = hasMore ? ended.at(-1) : undefined
    const answer = {
      redelivered: ended.length,
      nextAfter:
        last === undefined ? null : `${last.id}.${toMilliseconds}.${last.createdAtMilliseconds}`,
    }
    const asked = { webhookId, ...range }
    const intent = { accountId, operation: 'redeliverWebhooks', key, asked }
    const made = `${webhookId} ${answer.redelivered} ${answer.nextAfter ?? ''}`
    const before = await claimOnce(tx, intent, made, nowMilliseconds)
    if (before !== undefined) {
      const [, count = '0', next = ''] = before.split(' ')
      return { redelivered: Number(count), nextAfter: next === '' ? null : next }
    }
    if (ended.length > 0) await demandRedeliveryRoom(tx, whose, ended.length)
    await insertDeliveries(
      tx,
      ended.map((one) => again(deps, accountId, one)),
    )
    await notifyChanged(tx, [QUEUE])
    return answer
  })
}

/**
 * What has ended behind a delivery. One that is kept no longer has taken all before it along, the oldest first: then the range goes on at its time,
 * and nothing that waits for another page is passed over without a word.
 */
async function endedAfter(
  tx: Tx,
  whose: Pick<NewDelivery, 'accountId' | 'webhookId'>,
  { reached, ...range }: Parameters<typeof endedDeliveries>[2] & { readonly reached: string },
) {
  const { after, fromMilliseconds } = range
  const found = await endedDeliveries(tx, whose, range)
  const isFound = found.ended.length > 0
  // Looked at behind the list: what is there now was there before.
  const isKept = isFound || after === undefined || (await findDelivery(tx, whose, after))
  if (isKept) return found
  if (!MILLISECONDS.test(reached)) {
    throw new Refusal('INVALID_PARAMETERS', {
      details: {
        after: 'is no nextAfter of this webhook, or of a delivery that is kept no longer',
      },
    })
  }
  const goesOnAt = Math.max(fromMilliseconds, Number(reached))
  return endedDeliveries(tx, whose, { ...range, after: undefined, fromMilliseconds: goesOnAt })
}

function again(
  { random }: ManageDeps,
  accountId: AccountId,
  ended: Delivery & { readonly lane: string },
): NewDelivery {
  const { webhookId, eventId, type, lane, body, id: redeliveryOf } = ended
  return { id: newId(random, 'dlv'), accountId, webhookId, eventId, type, lane, redeliveryOf, body }
}

async function addOne(
  { store, clock }: ManageDeps,
  intent: Intent & { readonly asked: { readonly webhookId: string } },
  make: (tx: Tx, whose: Pick<NewDelivery, 'accountId' | 'webhookId'>) => Promise<NewDelivery>,
): Promise<Delivery> {
  const { accountId } = intent
  return store.inTransaction(accountId, async (tx) => {
    const webhookId = await demandWebhook(tx, accountId, intent.asked.webhookId)
    const made = await make(tx, { accountId, webhookId })
    const resourceId = `${webhookId} ${made.id}`
    const before = await claimOnce(tx, intent, resourceId, clock.nowMilliseconds())
    if (before === undefined) {
      if (made.redeliveryOf !== null) await demandRedeliveryRoom(tx, made, 1)
      await insertDeliveries(tx, [made])
      await notifyChanged(tx, [QUEUE])
    }
    const deliveryId = before?.split(' ')[1] ?? made.id
    const stored = await findDelivery(tx, { accountId, webhookId }, deliveryId)
    if (stored === undefined) throw new Refusal('NOT_FOUND')
    return stored
  })
}

async function demandWebhook(tx: Tx, accountId: AccountId, webhookId: string) {
  const webhook = await findWebhook(tx, accountId, webhookId)
  if (webhook === undefined) throw new Refusal('NOT_FOUND')
  return webhook.id
}
