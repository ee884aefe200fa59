import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import { accountsToSum, sumHours } from './hours-store.ts'

/** More than the longest period of an overview, so that none looks back to hours that are kept no more. */
const KEPT_DAYS = 32
/** So few that an account with millions of payments a day stays within one statement's time. */
const HOURS_PER_ROUND_MAX = 6
const ROUNDS_MAX = Math.ceil((KEPT_DAYS * 24) / HOURS_PER_ROUND_MAX) + 1
const ACCOUNTS_PER_LOOK_MAX = 1_000
/** Of one account it is the account's own; of so many it is the database's, which is asked again in the next turn. */
const FAILURES_PER_TURN_MAX = 10

/** Sums up the payments of one account, as many past hours as there are to be summed up. */
export async function sumAccountHours(
  store: Pick<Store, 'inTransaction'>,
  accountId: AccountId,
  isStopping: () => boolean = () => false,
): Promise<void> {
  const rounds = { keptDays: KEPT_DAYS, hoursMax: HOURS_PER_ROUND_MAX }
  for (let round = 0; round < ROUNDS_MAX && !isStopping(); round += 1) {
    if (!(await store.inTransaction(accountId, (tx) => sumHours(tx, accountId, rounds)))) return
  }
}

/**
 * Sums up the payments of every account by the hour, every limits.paymentHoursSeconds: what overviews of a month are made of. Any
 * number of instances may do it at once, and what one leaves undone, or does not get to, is read from the payments. Gives the way to stop.
 */
export function startSummingHours({
  store,
  clock,
  log,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}): () => Promise<void> {
  const stopping = new AbortController()
  const isStopping = () => stopping.signal.aborted

  // The last one that was summed up, or was tried to: no account stands before all others for long.
  let after = ''

  async function turn(): Promise<void> {
    const bounds = { keptDays: KEPT_DAYS, countMax: ACCOUNTS_PER_LOOK_MAX }
    let failures = 0
    do {
      const look = { ...bounds, after }
      const accounts = await store.inTransaction('service', (tx) => accountsToSum(tx, look))
      for (const accountId of accounts) {
        if (isStopping() || failures >= FAILURES_PER_TURN_MAX) return
        after = accountId
        try {
          await sumAccountHours(store, accountId, isStopping)
        } catch (error) {
          failures += 1
          log.warn({ accountId, reason: error }, 'the payments of an account were not summed up')
        }
      }
      if (accounts.length < ACCOUNTS_PER_LOOK_MAX) after = ''
    } while (after !== '')
  }

  async function run(): Promise<void> {
    while (!isStopping()) {
      try {
        await turn()
      } catch (error) {
        log.warn({ reason: error }, 'payments were not summed up')
      }
      await clock.sleep(limits.paymentHoursSeconds * 1000, stopping.signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
