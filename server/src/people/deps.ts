import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import type { Passwords } from './password.ts'
import type { Sessions } from './sessions.ts'
import type { Throttle } from './throttle.ts'

/** What the room of people stands on. */
export interface PeopleDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly audit: Audit
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly passwords: Passwords
  /** Of the digests of API keys. */
  readonly pepper: SecretBytes
  /** Every network is a sandbox: its link may be used, and its keys are test keys. */
  readonly sandbox: boolean
  /** The address of this service as its callers know it, without a slash at the end. */
  baseUrl(): string
}
