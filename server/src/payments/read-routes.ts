import { endpoints } from '@florin/wire/endpoints.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { limits } from '../kernel/limits.ts'
import { shareReads } from '../store/shared-reads.ts'
import { readAccountList } from './account-list.ts'
import type { FindDeps } from './find.ts'
import { findPayments } from './find.ts'
import { readHistory } from './history.ts'
import { findStandings } from './status-store.ts'
import type { AskedPayment } from './status-store.ts'
import { readStatus } from './status.ts'

/** The routes that read payments and change nothing. */
export function paymentReadRoutes(deps: FindDeps): readonly Route[] {
  const { store, networks, proofs } = deps
  const standingOf = shareReads({
    read: (asked: readonly AskedPayment[]) => findStandings(store, asked),
    underWayMax: limits.statusReadsUnderWayMax,
    sharedMax: limits.statusReadsSharedMax,
  })
  return [
    route(endpoints.paymentStatus, async ({ params, caller }) => ({
      body: await readStatus({ standingOf, networks, proofs }, caller, params.paymentId),
    })),
    route(endpoints.paymentHistory, async ({ params, query, caller }) => ({
      body: await readHistory(deps, caller.accountId, params.walletAddress, query),
    })),
    route(endpoints.listPayments, async ({ query, caller }) => ({
      body: await readAccountList(deps, caller.accountId, query),
    })),
    route(endpoints.findPayment, async ({ query, caller }) => ({
      body: { payments: await findPayments(deps, caller.accountId, query) },
    })),
  ]
}
