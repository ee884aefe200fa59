import type { Caller } from '../kernel/caller.ts'
import type { KeyId } from '../kernel/id.ts'

/** A caller with what its plan allows it, as the plan's rows said when its key was last looked up. */
export interface KeyHolder extends Caller {
  readonly keyId: KeyId
  /** Requests per window of limits.rateWindowSeconds; null: as many as it likes. */
  readonly requestsPerMinute: number | null
  /** Operations that the plan includes or leaves out although the endpoint table says otherwise. */
  readonly exceptions: ReadonlyMap<string, boolean>
}
