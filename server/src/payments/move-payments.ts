import { addToOutbox } from '../events/store.ts'
import type { PaymentId } from '../kernel/id.ts'
import { newestHashes } from '../sender/payment-place-store.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Tx } from '../store/postgres.ts'
import { isSettlement, paymentEvent, settlementEvent } from './event.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import type { StatusChange } from './store.ts'
import { afterChange, changeStatus, lockPayments, markFinalityViolated } from './store.ts'

/** Payments by their ids, as this transaction has locked them: what a change of status does not set has not changed since. */
export type Locked = ReadonlyMap<PaymentId, Payment>

/**
 * Moves payments to a status together with their events and the wake-up of whoever waits for them. Gives back those that really moved:
 * from any other status than one that leads there, nothing changes. What is not among `locked` is locked here.
 */
export async function movePayments(
  tx: Tx,
  status: PaymentStatus,
  changes: readonly StatusChange[],
  nowMilliseconds: number,
  locked?: Locked,
): Promise<ReadonlySet<PaymentId>> {
  const moved = await moveAndGive(tx, status, changes, nowMilliseconds, locked)
  return new Set(moved.map(({ id }) => id))
}

/** The same; gives those that moved as they are now, in the order of their ids. */
export async function moveAndGive(
  tx: Tx,
  status: PaymentStatus,
  changes: readonly StatusChange[],
  nowMilliseconds: number,
  locked: Locked = new Map(),
): Promise<readonly Payment[]> {
  // Of two changes of one payment the last, as one statement makes it: what is told is what is stored.
  const given = [...new Map(changes.map((change) => [change.paymentId, change])).values()]
  if (given.length === 0) return []
  const others = given.filter(({ paymentId }) => !locked.has(paymentId))
  const known = others.length === 0 ? locked : await lockAll(tx, locked, others)
  const ids = await changeStatus(tx, status, given, nowMilliseconds)
  if (ids.size === 0) return []
  const moved = given
    .filter(({ paymentId }) => ids.has(paymentId))
    .map((change) => {
      const payment = known.get(change.paymentId)
      if (payment === undefined) throw new Error('a payment was moved that was not locked')
      return afterChange(payment, status, change, nowMilliseconds)
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  await tell(tx, moved, nowMilliseconds)
  return moved
}

async function lockAll(tx: Tx, locked: Locked, others: readonly StatusChange[]): Promise<Locked> {
  const found = await lockPayments(
    tx,
    others.map(({ paymentId }) => paymentId),
  )
  return new Map([...locked, ...found.map((payment) => [payment.id, payment] as const)])
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
  const unseen = after.filter(({ transactionHash }) => transactionHash === null)
  const newest = await newestHashes(
    tx,
    unseen.map(({ id }) => id),
  )
  const events = after.flatMap((payment) => {
    const event = paymentEvent(payment, newest.get(payment.id) ?? null)
    return isSettlement(payment) ? [event, settlementEvent(payment)] : [event]
  })
  await addToOutbox(tx, events, nowMilliseconds)
  await notifyChanged(
    tx,
    after.map(({ id }) => id),
  )
}
