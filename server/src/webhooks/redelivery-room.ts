import { Refusal } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { NewDelivery } from './delivery.ts'
import { countRedeliveries, lockRedeliveries } from './redelivery-store.ts'

const RETRY_SECONDS = 30

/**
 * Refuses so many more redeliveries of an endpoint when too many would wait. Whoever adds some waits here for those that do so at the same
 * time, to the end of their transactions: together they add no more either. Comes after the claim of a key, and before the lanes' locks.
 * @throws {Refusal} RATE_LIMIT
 */
export async function demandRedeliveryRoom(
  tx: Tx,
  whose: Pick<NewDelivery, 'accountId' | 'webhookId'>,
  added: number,
): Promise<void> {
  const max = limits.webhookRedeliveriesWaitingMax
  await lockRedeliveries(tx, whose.webhookId)
  if ((await countRedeliveries(tx, whose, max)) + added <= max) return
  throw new Refusal('RATE_LIMIT', {
    retryAfterSeconds: RETRY_SECONDS,
    message: `At most ${max} deliveries of a webhook wait to be sent again.`,
  })
}
