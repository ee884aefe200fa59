import type { NumberedEvent } from '../events/event.ts'
import type { OnNumbered } from '../events/relay.ts'
import { newId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import { notifyChanged } from '../store/listen.ts'
import { insertDeliveries } from './delivery-store.ts'
import type { NewDelivery } from './delivery.ts'
import { eventText } from '../events/framed-event.ts'
import { listeningWebhooks } from './store.ts'
import { QUEUE } from './queue-name.ts'

/** Enqueues a delivery for each event and each endpoint that wants to hear of it, in the transaction that numbers the events. */
export function enqueueDeliveries({ random }: { readonly random: Random }): OnNumbered {
  return async (tx, events) => {
    const accounts = [...new Set(events.map(({ accountId }) => accountId))]
    const webhooks = await listeningWebhooks(tx, accounts)
    if (webhooks.length === 0) return
    const byAccount = Map.groupBy(webhooks, ({ accountId }) => accountId)
    const deliveries = events.flatMap((event): readonly NewDelivery[] =>
      (byAccount.get(event.accountId) ?? [])
        .filter(({ types }) => wants(types, event))
        .map(({ id: webhookId }) => ({
          id: newId(random, 'dlv'),
          accountId: event.accountId,
          webhookId,
          eventId: event.id,
          type: event.type,
          lane: event.resourceId,
          redeliveryOf: null,
          body: eventText(event),
        })),
    )
    if (deliveries.length === 0) return
    await insertDeliveries(tx, deliveries)
    await notifyChanged(tx, [QUEUE])
  }
}

function wants(types: readonly string[], event: NumberedEvent): boolean {
  return types.length === 0 || types.includes(event.type)
}
