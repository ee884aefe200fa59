import type { AccountId, KeyId } from './id.ts'

export const PLANS = ['standard', 'premium', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

export const SCOPES = ['read', 'write', 'settle', 'trade', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Who is asking: what the guard made of a bearer key. Rooms above never see the key itself. */
export interface Caller {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly plan: Plan
  readonly scopes: ReadonlySet<Scope>
}
