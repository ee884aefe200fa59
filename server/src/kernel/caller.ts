import { PLANS, SCOPES } from '@florin/wire/plan.ts'
import type { Plan, Scope } from '@florin/wire/plan.ts'
import type { AccountId, KeyId } from './id.ts'

export { PLANS, SCOPES }
export type { Plan, Scope }

/** Who is asking: what the guard made of a bearer key. Rooms above never see the key itself. */
export interface Caller {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly plan: Plan
  readonly scopes: ReadonlySet<Scope>
}
