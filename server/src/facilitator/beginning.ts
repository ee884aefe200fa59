import type { NetworkId } from '@florin/wire/network.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { SignedTransaction } from '../chains/chain.ts'
import type { AwaitedApproval, ExactLack } from '../chains/exact.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId, AccountId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'
import type { ClaimQueue } from './claim-queue.ts'
import type { NamedPayment } from './identifier-store.ts'
import type { Intake } from './intake.ts'
import type { ReceivedRecords } from './records.ts'
import type { SettlerFunds } from './settler-funds.ts'
import type { Settlers } from './settlers.ts'

/** What making a claim takes. */
export interface ClaimDeps {
  readonly store: Store
  readonly records: ReceivedRecords
  readonly clock: Clock
  readonly killPoint: (point: KillPoint) => void
  /** The key of a settling wallet, to be erased by whoever asked. */
  signerFor(wallet: Wallet, network: NetworkConfig): Promise<OpenSigner>
}

export interface BeginDeps extends ClaimDeps {
  readonly settlers: Settlers
  readonly funds: SettlerFunds
  readonly claims: Pick<ClaimQueue, 'coming' | 'claim' | 'keepApart'>
}

/** What is settled: a payment that was read, or one that is known from its claim. */
export type Settleable = Pick<Intake, 'chain' | 'exact' | 'authorization' | 'resource'> & {
  readonly payment: Pick<Intake['payment'], 'x402Version'>
}

/** A claim to be made, or made before and to be tried again. */
export interface Beginning {
  readonly accountId: AccountId
  readonly paymentId: PaymentId
  readonly digest: Uint8Array
  readonly intake: Settleable
  readonly isNew: boolean
  /** The name that its payer gave it; it is taken with the claim. */
  readonly named?: NamedPayment | undefined
  /** Its seller wants a transaction of its own; left out, it may share one. */
  readonly isAlone?: boolean
  /** The request that asks for it: an operator finds the transaction by it. */
  readonly requestId?: string
}

/** What became of a beginning; only `signed` has bytes, which are committed. */
export type Begun =
  | { readonly kind: 'signed'; readonly network: NetworkId; readonly signed: SignedTransaction }
  /** Nothing to send from here: somebody else's transaction has paid already, or is to. */
  | { readonly kind: 'found' }
  /** Somebody has the claim, or another call is at it: look again. */
  | { readonly kind: 'taken' }
  /** Its key signs nothing now: stopped, or what is under way may take all that it has. Nothing is stored; another key may do it. */
  | { readonly kind: 'unusable' }
  | {
      readonly kind: 'refused'
      readonly reason: Reason
      readonly message?: string
      readonly lacks?: ExactLack
      /** The chain shows that it was used up, and nobody shows by what. */
      readonly isUsed?: true
      /** And a node that shows by what has not come there yet: it has in a moment. */
      readonly isBehind?: true
      /** Its time is over, and no node's history reaches back far enough to tell whether it was sent before. */
      readonly isPastUntold?: true
      /** Nodes contradict each other about it. */
      readonly isDisputed?: true
      /** It settles as soon as this transaction of its payer's is in a block. */
      readonly approval?: AwaitedApproval
    }
