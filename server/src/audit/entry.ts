import type { AccountId, AuditId } from '../kernel/id.ts'

/** Who did something. A member or a key has an id; the service itself has none. */
export interface Actor {
  readonly kind: 'member' | 'key' | 'system'
  readonly id: string | null
  /** What it was called then. */
  readonly name: string | null
  readonly address: string | null
  readonly requestId: string | null
}

/** What a detail may be. Amounts are text. */
export type AuditDetail =
  | string
  | number
  | boolean
  | null
  | readonly AuditDetail[]
  | { readonly [name: string]: AuditDetail }

/** One change. `details` are facts that the account may read: never a secret. */
export interface AuditFact {
  /** Null for what concerns the installation. */
  readonly accountId: AccountId | null
  readonly actor: Actor
  /** `thing.done`, such as `key.created`. */
  readonly action: string
  /** The id of what it was done to. */
  readonly object: string | null
  readonly details?: Readonly<Record<string, AuditDetail>>
}

/** A fact as it was written. */
export interface AuditEntry extends Omit<AuditFact, 'details'> {
  readonly auditId: AuditId
  readonly atMilliseconds: number
  readonly detailsText: string
}

/** What the service does by itself. */
export const SYSTEM: Actor = {
  kind: 'system',
  id: null,
  name: null,
  address: null,
  requestId: null,
}
