import { PLANS, SCOPES } from '@florin/wire/plan.ts'
import type { Plan, Scope } from '@florin/wire/plan.ts'
import type { Role } from '@florin/wire/role.ts'
import type { AccountId, KeyId, MemberId, SessionId } from './id.ts'
import type { Secret } from './secret.ts'

export { PLANS, SCOPES }
export type { Plan, Scope }

/** What a caller came with. */
export type CredentialId = KeyId | SessionId

/** Who is asking in an account: what the guard made of a bearer key or a session. Rooms above see neither the key nor the cookie. */
export interface Caller {
  readonly accountId: AccountId
  /** The key, or the session that stands for one. */
  readonly keyId: CredentialId
  /** What a key is called; undefined for a session. */
  readonly keyName?: string
  readonly plan: Plan
  readonly scopes: ReadonlySet<Scope>
  /** Of a session: who sits in front of it. Undefined for a key. */
  readonly person?: Person
}

/** Somebody with a session, in an account or in none. */
export interface Person {
  readonly sessionId: SessionId
  readonly memberId: MemberId
  /** The email address, else the name: what an audit log calls them. */
  readonly calledName: string
  /** In the account of the session; null when that has none. */
  readonly role: Role | null
  readonly isOperator: boolean
  /** What requests that change something must carry. */
  readonly csrfToken: Secret
}

/** Somebody with a session that has no account. */
export interface Visitor {
  readonly person: Person
  readonly accountId?: undefined
}
