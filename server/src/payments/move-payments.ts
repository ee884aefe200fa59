import { addToOutbox } from '../events/store.ts'
import type { PaymentId } from '../kernel/id.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Tx } from '../store/postgres.ts'
import { isSettlement, paymentEvent, settlementEvent } from './event.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import type { StatusChange } from './store.ts'
import { changeStatus, lockPayments, markFinalityViolated } from './store.ts'

/**
 * Moves payments to a status together with their events and the wake-up of whoever waits for them. Gives back those that really moved:
 * from any other status than one that leads there, nothing changes.
 */
export async function movePayments(
  tx: Tx,
  status: PaymentStatus,
  changes: readonly StatusChange[],
  nowMilliseconds: number,
): Promise<ReadonlySet<PaymentId>> {
  const moved = await moveAndGive(tx, status, changes, nowMilliseconds)
  return new Set(moved.map(({ id }) => id))
}

/** The same; gives those that moved as they are now. */
export async function moveAndGive(
  tx: Tx,
  status: PaymentStatus,
  changes: readonly StatusChange[],
  nowMilliseconds: number,
): Promise<readonly Payment[]> {
  const moved = await changeStatus(tx, status, changes, nowMilliseconds)
  if (moved.length > 0) await tell(tx, moved, nowMilliseconds)
  return moved
}

/** Marks payments whose final block was reorganised away: their status stays, and their owner is told. */
export async function violateFinality(
  tx: Tx,
  paymentIds: readonly PaymentId[],
  nowMilliseconds: number,
): Promise<void> {
  await markFinalityViolated(tx, paymentIds)
  await tell(tx, await lockPayments(tx, paymentIds), nowMilliseconds)
}

async function tell(tx: Tx, after: readonly Payment[], nowMilliseconds: number): Promise<void> {
  const events = after.flatMap((payment) =>
    isSettlement(payment)
      ? [paymentEvent(payment), settlementEvent(payment)]
      : [paymentEvent(payment)],
  )
  await addToOutbox(tx, events, nowMilliseconds)
  await notifyChanged(
    tx,
    after.map(({ id }) => id),
  )
}
