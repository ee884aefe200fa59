import { outboxFigures } from './events/figures-store.ts'
import type { Figures } from './metrics/figures.ts'
import { paymentFigures } from './payments/figures-store.ts'
import { followerFigures, placeFigures } from './sender/figures-store.ts'
import { unreadPurchaseFigures } from './purchases/doubt-store.ts'
import { unreadBuildFigures } from './transactions/unread-store.ts'
import { webhookFigures } from './webhooks/figures-store.ts'
import { givingFigures } from './webhooks/giving-store.ts'
import type { Store } from './store/postgres.ts'

/** What the database knows for /metrics, in one transaction; the cost does not grow with what was paid before. */
export async function readFigures(store: Store, networks: readonly string[]): Promise<Figures> {
  return await store.inTransaction('service', async (tx) => ({
    payments: await paymentFigures(tx),
    lanes: await placeFigures(tx, networks),
    followers: await followerFigures(tx, networks),
    builds: await unreadBuildFigures(tx, networks),
    purchases: await unreadPurchaseFigures(tx, networks),
    outbox: await outboxFigures(tx),
    givings: await givingFigures(tx),
    webhooks: await webhookFigures(tx),
  }))
}
