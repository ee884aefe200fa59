import { Refusal } from '@florin/wire/errors.ts'
import { parseId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { findDelivery, listDeliveries } from './delivery-store.ts'
import type { Delivery, NewDelivery } from './delivery.ts'
import { searchDeliveries } from './search-store.ts'
import type { Found } from './search-store.ts'

const DAY_MILLISECONDS = 86_400_000
/** Clocks may differ by a day: nothing that is younger was removed. */
const KEPT_MILLISECONDS = (limits.webhookLogDays - 1) * DAY_MILLISECONDS
const MILLISECONDS = /^\d{1,15}$/

/** Where a page ended, as callers carry it: the delivery, and when it was recorded, which outlives it. No secret. */
export function cursorOf({
  id,
  createdAtMilliseconds,
}: Pick<Delivery, 'id' | 'createdAtMilliseconds'>): string {
  return `${id}.${createdAtMilliseconds}`
}

/**
 * What comes behind a cursor, newest first; without one, the newest. The delivery that it names may be kept no longer: then what was recorded by
 * its time, as far as that is still there. Refuses INVALID_PARAMETERS for a cursor of no delivery: an empty page must not look like the end of the list.
 */
export async function pageBehind(
  tx: Tx,
  whose: Pick<NewDelivery, 'accountId' | 'webhookId'>,
  cursor: string | undefined,
  page: {
    readonly status: Delivery['status'] | undefined
    /** The payment that the events are of; left out, any. */
    readonly lane?: string | undefined
    readonly fromMilliseconds?: number | undefined
    readonly count: number
    readonly nowMilliseconds: number
  },
): Promise<Found> {
  const { nowMilliseconds, ...wanted } = page
  const [id = '', reached = ''] = cursor?.split('.') ?? []
  const before = cursor === undefined ? undefined : id
  const listed = await found(tx, whose, { ...wanted, before })
  if (listed.deliveries.length > 0 || before === undefined) return listed
  if ((await findDelivery(tx, whose, before)) !== undefined) return listed
  const uptoMilliseconds = MILLISECONDS.test(reached) ? Number(reached) : nowMilliseconds
  const isOld = uptoMilliseconds < nowMilliseconds - KEPT_MILLISECONDS
  if (isOld && parseId('dlv', before) !== undefined) {
    return await found(tx, whose, { ...wanted, uptoMilliseconds })
  }
  const rule = 'is no nextCursor of this webhook, or of a delivery that is kept no longer'
  throw new Refusal('INVALID_PARAMETERS', { details: { cursor: rule } })
}

/** With nothing to look for, the list itself is read. */
async function found(
  tx: Tx,
  whose: Pick<NewDelivery, 'accountId' | 'webhookId'>,
  wanted: Parameters<typeof searchDeliveries>[2],
): Promise<Found> {
  const { status, lane, fromMilliseconds } = wanted
  return status === undefined && lane === undefined && fromMilliseconds === undefined
    ? { deliveries: await listDeliveries(tx, whose, wanted) }
    : searchDeliveries(tx, whose, wanted)
}
