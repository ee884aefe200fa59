import { expect } from 'vitest'
import { Florin } from '@florin/sdk'
import type { WebhookEvent } from '@florin/sdk'
import { until } from '@florin/server/kernel/until.ts'
import { takeTurn } from '@florin/server/webhooks/queue-store.ts'
import { openHook } from './actors/hook.ts'
import type { World } from './actors/world.ts'
import { walletOf } from './actors/world.ts'

const SECONDS = 120
/** How many sends are under way at once. */
const AT_ONCE = 50

/** Queued deliveries that nobody has taken yet. */
async function waiting(world: World, webhookId: string): Promise<number> {
  const rows = await world.database.store.inTransaction('service', (tx) =>
    tx.query<{ count: string }>(
      'test_waiting',
      `select count(*) from webhook_deliveries where status = 'waiting' and webhook_id = $1`,
      [webhookId],
    ),
  )
  return Number(rows[0]?.count)
}

/** Makes what waits due now, instead of when its turn comes. */
export async function hurryWebhooks(world: World): Promise<void> {
  await world.database.store.inTransaction('service', async (tx) => {
    await takeTurn(tx)
    await tx.query(
      'test_hurry',
      'update webhook_deliveries set due_at = now() where due_at > now() and lease is null',
    )
  })
}

/** Each payment's events in the order in which they were first taken. */
export function statusesByPayment(
  events: readonly WebhookEvent[],
): ReadonlyMap<unknown, readonly unknown[]> {
  const first = new Map(events.toReversed().map((event) => [event.id, event]))
  const inOrder = events.filter((event) => first.get(event.id) === event)
  const byPayment = Map.groupBy(inOrder, ({ data }) => data['paymentId'])
  return new Map([...byPayment].map(([id, own]) => [id, own.map(({ data }) => data['status'])]))
}

/**
 * Payments while their receiver refuses everything; then the newest instance is killed, another is started and the receiver takes what comes:
 * every event of every payment must arrive, and each payment's in order.
 */
export async function killWhileWebhooksWait(world: World, payments: number): Promise<void> {
  const hook = await openHook()
  try {
    const { baseUrl, apiKeys } = world.service()
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const { secret, webhookId } = await florin.webhooks.create({
      url: hook.url,
      types: ['payment'],
    })
    await hook.tell({ secrets: [secret ?? ''], answers: 'refused' })
    const recipientAddress = world.newAddress()
    const sent: string[] = []
    for (let start = 0; start < payments; start += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, payments - start) }, () =>
        florin.payments.send({
          walletAddress: walletOf(world),
          recipientAddress,
          amount: '0.001',
          timeout: 30,
        }),
      )
      sent.push(...(await Promise.all(batch)).map(({ paymentId }) => paymentId))
    }
    const events = payments * STATUSES.length
    await until('every event waits', async () => (await waiting(world, webhookId)) >= events, {
      seconds: SECONDS,
    })
    expect(hook.events()).toHaveLength(0)
    await hurryWebhooks(world)
    await world.service().kill()
    await world.start()
    await hook.tell({ answers: 'taken' })
    await until(
      'every event arrives',
      async () => {
        await hurryWebhooks(world)
        const ids = new Set(hook.events().map(({ id }) => id))
        return ids.size >= events && (await waiting(world, webhookId)) === 0
      },
      { seconds: SECONDS },
    )
    const statuses = statusesByPayment(hook.events())
    for (const paymentId of sent) expect(statuses.get(paymentId)).toEqual(STATUSES)
    expect(hook.unsigned()).toBe(0)
    const after = new Florin({ baseUrl: world.service().baseUrl, apiKey: apiKeys.enterprise })
    await after.webhooks.delete(webhookId)
  } finally {
    await hook.stop()
  }
}

const STATUSES = ['pending', 'confirmed', 'settled']
