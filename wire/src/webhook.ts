import Type from 'typebox'
import { ACCOUNT_EVENTS } from './event-types.ts'
import type { AccountEventType } from './event-types.ts'
import {
  Exactly,
  HttpUrl,
  Milliseconds,
  Nullable,
  Said,
  SentMilliseconds,
  SentObject,
} from './fields.ts'

const TYPES = Object.keys(ACCOUNT_EVENTS).filter((type): type is AccountEventType =>
  Object.hasOwn(ACCOUNT_EVENTS, type),
)
const SECONDS_PER_DAY = 86_400
const DELIVERIES_DEFAULT = 50
const DELIVERIES_MAX = 100

const Text = (description: string) => Type.String({ description })
const WebhookId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A webhook of your account: whk_ and 22 characters.',
})
const DeliveryId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A delivery: dlv_ and 22 characters.',
})

export const WebhookPath = Exactly({ webhookId: WebhookId })

const asked = {
  types: Type.Optional(
    Type.Array(Type.Enum(TYPES), {
      maxItems: TYPES.length,
      description: 'Which events are sent; left out or empty, all of them.',
    }),
  ),
  description: Type.Optional(
    Type.String({ maxLength: 200, description: 'What you call it; empty for nothing.' }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: 'While false nothing is sent, and new events are passed over.' }),
  ),
}
const Url = HttpUrl('Where events are sent. It must be https outside the sandbox.')

/** POST /webhooks. */
export const CreateWebhookBody = Exactly({ url: Url, ...asked })

/** PATCH /webhooks/{webhookId}: what is left out stays. `enabled: true` also ends a pause. */
export const PatchWebhookBody = Exactly({ url: Type.Optional(Url), ...asked })

const webhook = {
  webhookId: Text('Name of the webhook.'),
  url: Text('Where events are sent.'),
  types: Type.Array(Type.Enum(TYPES), { description: 'Which events; empty for all.' }),
  description: Said('What you called it.', Nullable(Type.String())),
  enabled: Type.Boolean({ description: 'Whether you want events to be sent.' }),
  status: Type.Enum(['active', 'paused', 'disabled'], {
    description:
      '`paused`: it failed for a day or answered 410, and what is due waits until you set `enabled: true`. `disabled`: you set `enabled: false`.',
  }),
  failingSince: Said(
    'The first failure since the last success; null when the last attempt succeeded.',
    Nullable(Milliseconds),
  ),
  pausedAt: Said('Null unless it is paused.', Nullable(Milliseconds)),
  pauseReason: Said(
    '`failing`: nothing but failures for a day. `gone`: it answered 410.',
    Nullable(Type.Enum(['failing', 'gone'])),
  ),
  previousSecretExpiresAt: Said(
    'Until when the secret before the last rotation signs as well; null when there is none.',
    Nullable(Milliseconds),
  ),
  createdAt: Milliseconds,
  updatedAt: Milliseconds,
}
const secret = Said(
  'Signs what is sent. Shown this once, and again when the request is repeated under its idempotency key; null when it signs no more by then.',
  Nullable(Type.String()),
)

/** The answer of GET and PATCH /webhooks/{webhookId}. */
export const Webhook = Exactly(webhook)

/** The answer of POST /webhooks and of a rotation. */
export const WebhookWithSecret = Exactly({ ...webhook, secret })

/** The answer of GET /webhooks: all of them, oldest first. */
export const WebhookList = Exactly({ webhooks: Type.Array(Webhook) })

/** The answer of DELETE /webhooks/{webhookId}. */
export const WebhookDeleted = Exactly({
  webhookId: Text('Name of the webhook that was.'),
  deletedAt: Milliseconds,
})

/** POST /webhooks/{webhookId}/rotate. */
export const RotateWebhookBody = Exactly({
  previousValidSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 7 * SECONDS_PER_DAY,
      default: SECONDS_PER_DAY,
      description: 'How long the secret of now signs beside the new one; 0 for not at all.',
    }),
  ),
})

const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One request to an endpoint. */
const Attempt = Exactly({
  at: Said('When it was sent, Unix milliseconds.', Milliseconds),
  url: Text('Where to.'),
  status: Said('HTTP status; null when there was no answer.', Nullable(Type.Integer())),
  error: Said('Why there was no answer; null when there was one.', Nullable(Type.String())),
  milliseconds: Type.Integer({ minimum: 0, description: 'How long it took.' }),
  answer: Text('The beginning of the answer, as text.'),
})

/** An event on its way to one endpoint. */
export const Delivery = Exactly({
  deliveryId: Text('Name of the delivery, also in the header Florin-Delivery.'),
  eventId: Text('The event, the same in every delivery of it.'),
  type: Type.Enum(TYPES, { description: 'The kind of event.' }),
  status: Type.Enum(DELIVERY_STATUSES, {
    description:
      '`waiting`: due now or later, or behind an earlier event of the same payment. `failed`: given up.',
  }),
  redeliveryOf: Said(
    'The delivery that this one repeats; null for the first.',
    Nullable(Type.String()),
  ),
  attempts: Type.Integer({ minimum: 0, description: 'Requests so far.' }),
  nextAttemptAt: Said(
    'Null when nothing is due, and while it stands behind another.',
    Nullable(Milliseconds),
  ),
  createdAt: Milliseconds,
  endedAt: Said('When it was delivered or given up; null before.', Nullable(Milliseconds)),
  event: Said('The body of the request.', SentObject),
  log: Type.Array(Attempt, { description: 'The last requests, oldest first.' }),
})

const LOOKED_FOR =
  'Looked for among 10,000 deliveries: a page may be short or empty and have a `nextCursor`.'

/** The query of GET /webhooks/{webhookId}/deliveries. */
export const DeliveriesQuery = Exactly({
  status: Type.Optional(
    Type.Enum(DELIVERY_STATUSES, {
      description: `Only these. ${LOOKED_FOR}`,
    }),
  ),
  paymentId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `Only events of this payment. ${LOOKED_FOR}`,
    }),
  ),
  from: Type.Optional(
    Said(
      'Only what was recorded then or later, Unix milliseconds. Beside `paymentId` its `createdAt` says where the list ends.',
      SentMilliseconds,
    ),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: DELIVERIES_MAX,
      default: DELIVERIES_DEFAULT,
      description: 'How many at most.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: '`nextCursor` of the page before.' }),
  ),
})

/** The answer of GET /webhooks/{webhookId}/deliveries: newest first. */
export const DeliveryList = Exactly({
  deliveries: Type.Array(Delivery),
  nextCursor: Said('For the next page; null on the last.', Nullable(Type.String())),
})

export const DeliveryPath = Exactly({ webhookId: WebhookId, deliveryId: DeliveryId })

/** POST /webhooks/{webhookId}/redeliver: what was recorded in a range of time, oldest first. */
export const RedeliverBody = Exactly({
  from: Said('The first to be sent again was recorded then or later.', SentMilliseconds),
  to: Type.Optional(Said('The last was recorded before; left out, now.', SentMilliseconds)),
  status: Type.Optional(
    Type.Enum(['failed', 'delivered', 'all'], {
      default: 'failed',
      description: 'Which of them; what waits and what was itself sent again is not repeated.',
    }),
  ),
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: '`nextAfter` of the answer before.' }),
  ),
})

/** The answer of it. */
export const Redelivered = Exactly({
  redelivered: Type.Integer({ minimum: 0, description: 'How many will be sent again.' }),
  nextAfter: Said(
    'There are more: repeat the request with it as `after`. Without `to` the range ends at the time of the first request. Null when these were all.',
    Nullable(Type.String()),
  ),
})
