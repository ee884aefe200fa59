import { endpoints } from '@florin/wire/endpoints.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { FindDeps } from './find.ts'
import { findPayments } from './find.ts'
import { readHistory } from './history.ts'
import { readStatus } from './status.ts'

/** The routes that read payments and change nothing. */
export function paymentReadRoutes(deps: FindDeps): readonly Route[] {
  return [
    route(endpoints.paymentStatus, async ({ params, caller }) => ({
      body: await readStatus(deps, caller, params.paymentId),
    })),
    route(endpoints.paymentHistory, async ({ params, query, caller }) => ({
      body: await readHistory(deps, caller.accountId, params.walletAddress, query),
    })),
    route(endpoints.findPayment, async ({ query, caller }) => ({
      body: { payments: await findPayments(deps, caller.accountId, query) },
    })),
  ]
}
