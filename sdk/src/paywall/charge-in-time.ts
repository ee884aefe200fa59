import type { Clock } from '../clock.ts'
import { limits } from '../limits.ts'
import type { Charged } from './charge.ts'

/** Why nothing has gone out for money that was taken. */
export const TOO_LATE = 'the settlement came after the buyer was told to ask again'

/** Waits for the settlement, and not for ever: what comes later is kept for whoever asks again with the same proof. */
export async function chargeInTime(
  charge: Promise<Charged>,
  clock: Clock,
  cameLate: (charged: Charged) => Promise<void>,
): Promise<Charged> {
  const over = new AbortController()
  let isLate = false
  const charging = charge.then(async (charged) => {
    over.abort()
    if (isLate) await cameLate(charged)
    return charged
  })
  const late = clock.sleep(limits.paywallSettleMilliseconds, over.signal).then((): Charged => {
    isLate = !over.signal.aborted
    return { kind: 'pending' }
  })
  return Promise.race([charging, late.then((pending) => (isLate ? pending : charging))])
}
