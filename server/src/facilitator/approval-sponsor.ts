import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { StoredApproval } from './approval-store.ts'
import type { JoinOrder } from './join.ts'

export interface FundingOrder extends Pick<JoinOrder, 'waitUntilMilliseconds' | 'over'> {
  readonly chain: Chain
  readonly approval: StoredApproval
  readonly requestId: string
}

/** What became of what a payer is to be given, as far as the wait reached. */
export type Funded =
  /** In a block of this height, and maybe a later one by now. */
  | { readonly kind: 'mined'; readonly height: bigint }
  | { readonly kind: 'pending' }
  /** Nothing is given; nothing is stored that would. */
  | { readonly kind: 'refused'; readonly reason: Reason }

/** The wallet of the operator that gives payers what their approvals take, by payments like any other. */
export interface ApprovalSponsor {
  /** Whose days the budgets are of. */
  readonly clock: Clock
  /** Whether it could give what an approval may take at most, as of a moment ago: what is announced. False where nothing is sponsored. Never throws. */
  canGive(chain: Chain): Promise<boolean>
  /**
   * Why it would not give now what an approval says, with a fee of so many native base units; undefined when it would, or has. Stores nothing.
   * Throws NodeFailure.
   */
  refuses(chain: Chain, approval: StoredApproval, fee: bigint): Promise<Reason | undefined>
  /** Gives what a stored approval says, once however often it is asked for, and waits until that is in a block. */
  fund(order: FundingOrder): Promise<Funded>
}
