import * as events from './events.ts'
import * as escrowCalls from './escrow-calls.ts'
import * as facilitator from './facilitator.ts'
import * as health from './health.ts'
import * as markets from './markets.ts'
import * as networks from './networks.ts'
import type { OperationReference } from './operation-reference.ts'
import * as operators from './operators.ts'
import * as payments from './payments.ts'
import * as people from './people.ts'
import * as purchases from './purchases.ts'
import * as receiving from './receiving.ts'
import * as reports from './reports.ts'
import * as trading from './trading.ts'
import * as transactions from './transactions.ts'
import * as wallets from './wallets.ts'
import * as webhooks from './webhooks.ts'

/** By operation id. A row of the endpoint table without an entry here fails a test. */
export const operationReferences: Readonly<Record<string, OperationReference>> = {
  ...events,
  ...facilitator,
  ...escrowCalls,
  ...health,
  ...markets,
  ...networks,
  ...operators,
  ...payments,
  ...people,
  ...purchases,
  ...receiving,
  ...reports,
  ...trading,
  ...transactions,
  ...wallets,
  ...webhooks,
}
