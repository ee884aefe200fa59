import { forgetApprovals } from './facilitator/approval-store.ts'
import { forgetIdentifiers } from './facilitator/identifier-store.ts'
import { forgetGas } from './facilitator/gas-store.ts'
import { startForgetting } from './idempotency/forget.ts'
import type { Forget } from './idempotency/forget.ts'
import type { Clock } from './kernel/clock.ts'
import type { Log } from './kernel/log.ts'
import type { NetworkConfig } from './kernel/network-config.ts'
import { forgetOldEvents } from './open-events.ts'
import { forgetOldTrades } from './open-markets.ts'
import { forgetPeople } from './open-people.ts'
import { forgetGivenApprovals } from './payments/forget-given-approvals.ts'
import { forgetOldAnswers } from './purchases/forget-answers.ts'
import { forgetOldDays } from './reports/forget-days.ts'
import type { Store, Tx } from './store/postgres.ts'
import { forgetNonces } from './transactions/nonce-store.ts'

/** Of each room: one round removes a bounded number of what has had its time, and says whether more may wait. */
export const FORGETTERS: readonly Forget[] = [
  forgetOldEvents,
  forgetPeople,
  forgetNonces,
  forgetOldAnswers,
  forgetOldDays,
  forgetOldTrades,
  forgetIdentifiers,
  forgetApprovals,
  forgetGivenApprovals,
]

/** Removes what has had its time in every room, again and again. Gives the way to stop. */
export function startForgettingAll({
  networks,
  ...deps
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly networks: readonly NetworkConfig[]
}): () => Promise<void> {
  return startForgetting({
    ...deps,
    others: [
      ...FORGETTERS,
      ...networks.map(({ network }) => async (tx: Tx, nowMilliseconds: number) => {
        await forgetGas(tx, network, nowMilliseconds)
        // All of it at once.
        return false
      }),
    ],
  })
}
