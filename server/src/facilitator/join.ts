import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Claim } from './claim.ts'
import { giveSuccess } from './give.ts'
import type { GiveDeps, Once } from './give.ts'
import { cameToNothing } from './records.ts'
import type { Heard, ReceivedRecords, ReceivedState } from './records.ts'

export interface JoinDeps extends GiveDeps {
  readonly records: ReceivedRecords
}

/** How long somebody waits, and under which key the success is to be had again. */
export interface JoinOrder {
  readonly accountId: AccountId
  readonly waitUntilMilliseconds: number
  /** The wait ends early: nobody listens any more, or the service stops. */
  readonly over: AbortSignal
  readonly once?: Once | null
}

/** A payment with what its seller may be told of it. */
export interface ClaimedPayment {
  readonly paymentId: PaymentId
  readonly state: ReceivedState
}

/** What became of a claim, as far as the wait reached. */
export type Joined =
  /** The one success of this proof. `takeBack` when it reached nobody: the same call may then have it. */
  | (ClaimedPayment & {
      readonly kind: 'settled'
      readonly replayed: boolean
      takeBack(): Promise<void>
    })
  | (ClaimedPayment & { readonly kind: 'pending' })
  /** This attempt was included without effect, as deep as a success would have to be. The authorization may still be good. */
  | (ClaimedPayment & { readonly kind: 'reverted' })
  /** It took no effect and never will. */
  | (ClaimedPayment & { readonly kind: 'expired' })
  /** The success was given out before, or the proof belongs to another account or to other terms: then nothing more is told. */
  | {
      readonly kind: 'duplicate'
      readonly own: (ClaimedPayment & { readonly firstAnsweredAt: number }) | null
      /** Left out: what is always said of it. */
      readonly message?: string
    }

/** Waits for the chain and gives out what it says of an own claim; success at most once. `heard` of a claim that was made since it listens. */
export async function joinClaim(
  deps: JoinDeps,
  { accountId, waitUntilMilliseconds, over, once = null }: JoinOrder,
  { paymentId, answeredAtMilliseconds }: Pick<Claim, 'paymentId' | 'answeredAtMilliseconds'>,
  heard?: Heard,
): Promise<Joined> {
  const until = { atMilliseconds: waitUntilMilliseconds, over }
  const state = await deps.records.wait({ accountId, paymentId }, until, heard)
  if (state === undefined) throw new Error('a claim has no record')
  const claimed = { paymentId, state }
  const isAnswered = answeredAtMilliseconds !== null
  // Whoever has the key of an earlier success gets it again.
  if (isAnswered && once === null) {
    return { kind: 'duplicate', own: { ...claimed, firstAnsweredAt: answeredAtMilliseconds } }
  }
  if (state.released || isAnswered) {
    const given = await giveSuccess(deps, { accountId, paymentId }, once)
    if (given.kind === 'given') return { ...given, ...claimed, kind: 'settled' }
    const firstAnsweredAt = answeredAtMilliseconds ?? given.nowMilliseconds
    return { kind: 'duplicate', own: { ...claimed, firstAnsweredAt } }
  }
  switch (state.status) {
    case 'failed':
    case 'expired':
      return { kind: 'expired', ...claimed }
    case 'confirmed':
    case 'settled':
      return { kind: 'pending', ...claimed }
    case 'pending':
      return { kind: cameToNothing(state) ? 'reverted' : 'pending', ...claimed }
    default:
      return state.status satisfies never
  }
}
