import { RawJson } from '@florin/wire/raw-json.ts'
import type { Delivery } from './delivery.ts'
import type { Webhook } from './webhook.ts'

/** An endpoint as its owner sees it. */
export function webhookFacts(webhook: Webhook) {
  return {
    webhookId: webhook.id,
    url: webhook.url,
    types: [...webhook.types],
    description: webhook.description,
    enabled: webhook.enabled,
    status: statusOf(webhook),
    failingSince: webhook.failingSinceMilliseconds,
    pausedAt: webhook.pausedAtMilliseconds,
    pauseReason: webhook.pauseReason,
    previousSecretExpiresAt: webhook.previousUntilMilliseconds,
    createdAt: webhook.createdAtMilliseconds,
    updatedAt: webhook.updatedAtMilliseconds,
  }
}

function statusOf({ enabled, pausedAtMilliseconds }: Webhook): 'active' | 'paused' | 'disabled' {
  if (!enabled) return 'disabled'
  return pausedAtMilliseconds === null ? 'active' : 'paused'
}

/** A delivery as the endpoint's owner sees it. */
export function deliveryFacts(delivery: Delivery) {
  return {
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    type: delivery.type,
    status: delivery.status,
    redeliveryOf: delivery.redeliveryOf,
    attempts: delivery.attempts,
    nextAttemptAt: delivery.dueAtMilliseconds,
    createdAt: delivery.createdAtMilliseconds,
    endedAt: delivery.endedAtMilliseconds,
    event: new RawJson(delivery.body),
    log: [...delivery.log],
  }
}
