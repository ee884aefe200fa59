import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'

/** Why nothing is sent to an endpoint although its owner wants it. */
export type PauseReason = 'failing' | 'gone'

/** An address of a caller that hears of its account's events. */
export interface Webhook {
  readonly id: WebhookId
  readonly accountId: AccountId
  readonly url: string
  readonly description: string | null
  /** Empty: all of them. */
  readonly types: readonly AccountEventType[]
  /** What its owner wants. */
  readonly enabled: boolean
  readonly failingSinceMilliseconds: number | null
  readonly pausedAtMilliseconds: number | null
  readonly pauseReason: PauseReason | null
  /** When the secret that was rotated out stops to sign; null when there is none. */
  readonly previousUntilMilliseconds: number | null
  readonly createdAtMilliseconds: number
  readonly updatedAtMilliseconds: number
}

/** The secrets of an endpoint as they are kept. */
export interface SealedSecrets {
  readonly sealedSecret: Uint8Array
  /** The one before, and until when it signs beside it. */
  readonly previous: { readonly sealed: Uint8Array; readonly untilMilliseconds: number } | null
}
