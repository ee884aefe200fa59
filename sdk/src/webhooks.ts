import { call } from './call.ts'
import type { CallOptions, IntentOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { ChangeWebhookAnswer, ChangeWebhookBody } from './contract/change-webhook.ts'
import type { CreateWebhookAnswer, CreateWebhookBody } from './contract/create-webhook.ts'
import type { DeleteWebhookAnswer } from './contract/delete-webhook.ts'
import type { ListWebhooksAnswer } from './contract/list-webhooks.ts'
import type { RedeliverWebhookAnswer } from './contract/redeliver-webhook.ts'
import type {
  RedeliverWebhooksAnswer,
  RedeliverWebhooksBody,
} from './contract/redeliver-webhooks.ts'
import type { RotateWebhookAnswer, RotateWebhookBody } from './contract/rotate-webhook.ts'
import type { TestWebhookAnswer } from './contract/test-webhook.ts'
import type {
  WebhookDeliveriesAnswer,
  WebhookDeliveriesQuery,
} from './contract/webhook-deliveries.ts'

export type Webhook = ListWebhooksAnswer['webhooks'][number]
export type WebhookDelivery = WebhookDeliveriesAnswer['deliveries'][number]

/** Addresses of yours that events are sent to. What arrives there is checked with `verifyWebhook`. */
export interface Webhooks {
  /** Keep the `secret`: it is shown this once. */
  create(webhook: CreateWebhookBody, options?: IntentOptions): Promise<CreateWebhookAnswer>
  list(options?: CallOptions): Promise<readonly Webhook[]>
  get(webhookId: string, options?: CallOptions): Promise<Webhook>
  /** What is left out stays; `enabled: true` also resumes one that was paused. */
  change(
    webhookId: string,
    change: ChangeWebhookBody,
    options?: CallOptions,
  ): Promise<ChangeWebhookAnswer>
  /** Not repeated when the answer is lost: NOT_FOUND then means that it is done. */
  delete(webhookId: string, options?: CallOptions): Promise<DeleteWebhookAnswer>
  /** A new secret; for a while, a day unless you say otherwise, the old one signs as well. */
  rotate(
    webhookId: string,
    rotation?: RotateWebhookBody,
    options?: IntentOptions,
  ): Promise<RotateWebhookAnswer>
  /** Sends an event that nothing happened for. */
  test(webhookId: string, options?: IntentOptions): Promise<TestWebhookAnswer>
  /** One page of what was sent, newest first. */
  deliveries(
    webhookId: string,
    query?: WebhookDeliveriesQuery,
    options?: CallOptions,
  ): Promise<WebhookDeliveriesAnswer>
  /** Sends an event again. */
  redeliver(
    webhookId: string,
    deliveryId: string,
    options?: IntentOptions,
  ): Promise<RedeliverWebhookAnswer>
  /** Sends again what was recorded in a range of time: what was given up, unless you say otherwise. */
  redeliverRange(
    webhookId: string,
    range: RedeliverWebhooksBody,
    options?: IntentOptions,
  ): Promise<RedeliverWebhooksAnswer>
}

export function webhooks(connection: Connection): Webhooks {
  return {
    create: (body, options) => call(connection, 'createWebhook', { body }, options),
    list: async (options) => (await call(connection, 'listWebhooks', {}, options)).webhooks,
    get: (webhookId, options) => call(connection, 'getWebhook', { parts: { webhookId } }, options),
    change: (webhookId, body, options) =>
      call(connection, 'changeWebhook', { parts: { webhookId }, body }, options),
    delete: (webhookId, options) =>
      call(connection, 'deleteWebhook', { parts: { webhookId } }, options),
    rotate: (webhookId, body = {}, options) =>
      call(connection, 'rotateWebhook', { parts: { webhookId }, body }, options),
    test: (webhookId, options) =>
      call(connection, 'testWebhook', { parts: { webhookId } }, options),
    deliveries: (webhookId, query, options) =>
      call(connection, 'webhookDeliveries', { parts: { webhookId }, query }, options),
    redeliver: (webhookId, deliveryId, options) =>
      call(connection, 'redeliverWebhook', { parts: { webhookId, deliveryId } }, options),
    redeliverRange: (webhookId, body, options) =>
      call(connection, 'redeliverWebhooks', { parts: { webhookId }, body }, options),
  }
}
