import type { OperationReference } from './operation-reference.ts'

const ID = 'whk_4sDfGh7jKl9pQwErTyUx2b'
const DELIVERY = 'dlv_8vBnM3aSdFgHjKpLqWeRty'

const webhook = {
  webhookId: ID,
  url: 'https://shop.example/florin',
  types: ['payment'],
  description: 'orders',
  enabled: true,
  status: 'active',
  failingSince: null,
  pausedAt: null,
  pauseReason: null,
  previousSecretExpiresAt: null,
  createdAt: 1790000000000,
  updatedAt: 1790000000000,
}
const secret = 'whsec_bm90IGEgc2VjcmV0LCBqdXN0IGFuIGV4YW1wbGUuLi4'

const event = {
  id: 'evt_9kLmN2bVcXzQwErTyUpA5d',
  type: 'payment',
  channel: 'payments',
  sequence: 41,
  data: {
    paymentId: 'pay_6kWp3YtNc8QmXv2RzJbE5h',
    type: 'received',
    status: 'settled',
    network: 'eip155:84532',
    asset: 'native',
    amount: '0.01',
    amountBaseUnits: '10000000000000000',
  },
  timestamp: 1790000004000,
}

const delivery = {
  deliveryId: DELIVERY,
  eventId: event.id,
  type: 'payment',
  status: 'delivered',
  redeliveryOf: null,
  attempts: 1,
  nextAttemptAt: null,
  createdAt: 1790000004010,
  endedAt: 1790000004120,
  event,
  log: [
    {
      at: 1790000004030,
      url: webhook.url,
      status: 200,
      error: null,
      milliseconds: 84,
      answer: 'ok',
    },
  ],
}
const waiting = {
  ...delivery,
  status: 'waiting',
  attempts: 0,
  nextAttemptAt: 1790000004010,
  endedAt: null,
  log: [],
}

export const createWebhook: OperationReference = {
  title: 'Create a webhook',
  about: [
    'From now on every event of the account, or of the `types` that you name, is sent to the address as a `POST` with the same object that the socket and `GET /events` give. It counts as taken when your address answers 2xx within 10 seconds.',
    'Keep the `secret`: it is shown this once, and again only to the same request under the same `Idempotency-Key`. Every request is signed with it in `Florin-Signature`. The guide on webhooks shows how to check it.',
  ],
  body: { url: webhook.url, types: webhook.types, description: webhook.description },
  answer: { ...webhook, secret },
}

export const listWebhooks: OperationReference = {
  title: 'List webhooks',
  about: ['All webhooks of the account, oldest first, without their secrets.'],
  answer: { webhooks: [webhook] },
}

export const getWebhook: OperationReference = {
  title: 'Get a webhook',
  about: [
    '`failingSince` says since when nothing but failures came back; after a day it is paused.',
  ],
  params: { webhookId: ID },
  answer: webhook,
}

export const changeWebhook: OperationReference = {
  title: 'Change a webhook',
  about: [
    'What you leave out stays. `enabled: true` resumes a paused webhook: what waited is sent, the oldest event of each payment first.',
  ],
  params: { webhookId: ID },
  body: { enabled: true },
  answer: webhook,
}

export const deleteWebhook: OperationReference = {
  title: 'Delete a webhook',
  about: ['What still waits for it is not sent. Its deliveries can no longer be read.'],
  params: { webhookId: ID },
  answer: { webhookId: ID, deletedAt: 1790000090000 },
}

export const rotateWebhook: OperationReference = {
  title: 'Rotate a secret',
  about: [
    'Answers a new secret. For `previousValidSeconds` every request carries a signature of each of the two, so that you can change over without losing one. Rotating again within that time drops the oldest.',
  ],
  params: { webhookId: ID },
  body: { previousValidSeconds: 86400 },
  answer: { ...webhook, previousSecretExpiresAt: 1790086400000, secret },
}

export const testWebhook: OperationReference = {
  title: 'Send a test event',
  about: [
    'Sends a `payment` event about a payment that does not exist, with `test: true` and `sandbox: true` in its data and `sequence: 0`. See its delivery for what your address answered.',
  ],
  params: { webhookId: ID },
  answer: waiting,
}

export const webhookDeliveries: OperationReference = {
  title: 'List deliveries',
  about: [
    'Newest first, kept for 30 days: the event, the state, and the last requests with what your address answered.',
    '`paymentId` shows what was sent of one payment. Give its `createdAt` as `from`, and follow `nextCursor` until it is null: of a payment that is long past it takes several pages, some of them empty.',
  ],
  params: { webhookId: ID },
  query: { status: 'delivered', limit: 50 },
  answer: { deliveries: [delivery], nextCursor: null },
}

export const redeliverWebhook: OperationReference = {
  title: 'Redeliver an event',
  about: [
    'Sends the event of a delivery that has ended once more, as a new delivery with the same event id.',
  ],
  params: { webhookId: ID, deliveryId: DELIVERY },
  answer: { ...waiting, redeliveryOf: DELIVERY, deliveryId: 'dlv_2wSxEdCrFvTgByHnUjMk4p' },
}

export const redeliverWebhooks: OperationReference = {
  title: 'Redeliver a range',
  about: [
    'Sends again what was recorded within a range of time and has ended, by default what was given up; at most 500 at once, oldest first. Repeat it with `after` while `nextAfter` is not null. At most 5,000 of a webhook wait to be sent again; what would be more is refused with `RATE_LIMIT`, and the same request can be repeated once some have ended.',
  ],
  params: { webhookId: ID },
  body: { from: 1790000000000, to: 1790003600000, status: 'failed' },
  answer: { redelivered: 12, nextAfter: null },
}
