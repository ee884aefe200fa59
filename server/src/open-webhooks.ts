import { openAudit } from './audit/audit.ts'
import { addToOutbox } from './events/store.ts'
import type { OnNumbered } from './events/relay.ts'
import type { Route } from './http/route.ts'
import type { Outbound } from './outbound/outbound.ts'
import { noteForWebhooks } from './webhooks/on-numbered.ts'
import type { ManageDeps } from './webhooks/manage.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { startDeliveries } from './webhooks/start-deliveries.ts'
import type { DeliveriesDeps } from './webhooks/start-deliveries.ts'
import { startGiving } from './webhooks/start-giving.ts'

export interface WebhooksOptions extends Omit<DeliveriesDeps, 'tellPaused' | 'outbound'> {
  readonly outbound: Outbound
  readonly sandbox: boolean
}

/** Everything about webhooks, put together: what the relay, the edge and the end of the service need of it. */
export interface Webhooks {
  readonly onNumbered: OnNumbered
  readonly routes: readonly Route[]
  stop(): Promise<void>
}

/** Starts to give out and to send what waits. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { store, wrapper, random, clock, sandbox } = options
  const manage: ManageDeps = { store, wrapper, random, clock, sandbox, audit: openAudit(options) }
  const giving = startGiving(options)
  const deliveries = startDeliveries({
    ...options,
    tellPaused: (tx, { accountId, webhookId, reason, failingSinceMilliseconds }) =>
      addToOutbox(
        tx,
        [
          {
            accountId,
            type: 'webhook',
            resourceId: webhookId,
            data: {
              webhookId,
              status: 'paused',
              reason,
              failingSince: failingSinceMilliseconds,
              ...(sandbox ? { sandbox: true } : {}),
            },
          },
        ],
        clock.nowMilliseconds(),
      ),
  })
  return {
    onNumbered: noteForWebhooks,
    routes: webhookRoutes(manage),
    stop: async () => {
      await Promise.all([giving.stop(), deliveries.stop()])
    },
  }
}
