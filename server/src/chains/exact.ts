import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Brand } from '@florin/wire/brand.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Address, Block, Terms, TransactionHash } from './chain.ts'
import type { Signer } from './signer.ts'

/** What a seller asks for, parsed and with its asset known to us. */
export interface ExactDemand {
  readonly asset: AssetProfile
  readonly payTo: Address
  readonly amount: BaseUnits
  /** The requirement's `extra`: EVM `name` and `version`, Solana `feePayer` and `memo`. */
  readonly extra: Fields
  /** Addresses of ours that may pay fees on this network. */
  readonly settlers: ReadonlySet<Address>
  /** What the scheme lets move: all that was signed for, or as much of it as the seller asks for when it settles. Left out: `exact`. */
  readonly scheme?: PaymentScheme
  /** Left out: version 1, which knows one way of paying on EVM. */
  readonly x402Version?: X402Version
  /** What came with the payment beside its payload; the payer's word. */
  readonly extensions?: Fields
  /** `upto`: the amount is what is to move, and not what was signed for. */
  readonly isSettling?: boolean
  /** EVM: what follows before anything is stored or believed, and may judge the signature. Left out: it is judged at once. */
  readonly judgedBy?: 'draft' | 'check' | undefined
}

/** Schemes of x402 that are settled here. */
export type PaymentScheme = 'exact' | 'upto'

/**
 * What makes a payment one and the same, by its decoded content, never by its text or signature; unique within a network. EVM: token,
 * payer and nonce; by Permit2 payer and nonce. Solana: the hash of the message.
 */
export type ProofKey = Brand<string, 'ProofKey'>

/** For whoever knows what a scheme's content is: the chains, and the transfers that this service sends. */
export function proofKey(text: string): ProofKey {
  return text as ProofKey
}

/** A payer's signed permission to move its token, read and checked as far as no node is needed. */
export interface ExactAuthorization {
  readonly proofKey: ProofKey
  readonly payer: Address
  readonly asset: AssetProfile
  readonly payTo: Address
  readonly amount: BaseUnits
  /** Unix seconds at which the chain stops to take it; null where only its height says that. */
  readonly validBeforeSeconds: bigint | null
  /** Solana: who pays the fee and must sign; null where any settler may. */
  readonly feePayer: Address | null
  /** EVM: by Permit2, whose words some reasons are. Left out: by the token's own EIP-3009, or on Solana. */
  readonly permit2?: PaymentScheme
  /** EVM, `upto`: which of our keys alone may settle it. Left out, any may. */
  readonly onlySettler?: Address
  /** A wallet of ours signed it, so that nothing else was ever signed with its nonce. Left out: somebody else's did. */
  readonly isOurs?: true
  /** EVM: no plain key signed it, so that only the payer's own code can say whether it stands. Left out: its signature was checked. */
  readonly awaitsCode?: true
  /** EVM: nobody has judged the signature yet; drafting its settlement does, or a check. Until then it says nothing of who shows it. */
  readonly isUnjudged?: true
  /** It was claimed, and its signature judged before: what the chain shows of its nonce is about it, whoever vouches for it now. */
  readonly wasJudged?: true
  /** Solana: a transfer of which accounts alone tell whether it would pass. Left out: only a simulation does. */
  readonly plain?: PlainTransfer
  /** The payload again as plain text, for the books, and for asking about it later; holds no secret of ours. */
  readonly stored: Readonly<Record<string, string>>
}

/** What has to be known of a plain transfer to tell from accounts whether it would pass. */
export interface PlainTransfer {
  /** Token accounts. */
  readonly source: Address
  readonly destination: Address
  readonly blockhash: string
  /** Compute units that it may take. */
  readonly unitsMax: bigint
  /** Transfers of one shape take the same number of units. */
  readonly shape: string
}

export type ExactRead =
  | { readonly ok: true; readonly authorization: ExactAuthorization }
  | { readonly ok: false; readonly reason: Reason; readonly payer: string | null }

/** Null where the payload does not say it, or cannot be read. */
export interface ExactPeek {
  /** Solana: the mint that its transfer moves. */
  readonly token: string | null
  /** Solana: who is to pay the fee. */
  readonly feePayer: Address | null
}

/** What a wallet of ours is to pay a seller, and how the seller wants it. */
export interface PayOrder {
  readonly asset: AssetProfile
  readonly payer: Address
  readonly payTo: Address
  readonly amount: BaseUnits
  /** The requirement's `extra`, as the seller wrote it: compared, and believed only where nothing of ours depends on it. */
  readonly extra: Fields
  /** Unix seconds from which on nobody may use it. Solana: its blockhash ends it, at most as late. */
  readonly validBeforeSeconds: bigint
  /** 32 unpredictable bytes that make it one of its own. */
  readonly salt: Uint8Array
  /** EVM: the seller says that its side submits approvals of Permit2 that are signed by EIP-2612. */
  readonly takesPermits: boolean
  /** `upto`: the amount is the most that the seller may take. Left out: `exact`. */
  readonly scheme?: PaymentScheme
}

/** An authorization that can be signed: everything was asked of the nodes. */
export interface PreparedAuthorization {
  /** Local for a local signer, so it may run inside a database transaction. Throws when the signature is not the payer's. */
  sign(signer: Signer): Promise<SignedAuthorization>
}

export interface SignedAuthorization {
  /** What `exact` calls the payload, in both versions of x402. */
  readonly payload: Fields
  readonly authorization: ExactAuthorization
  /** Solana: the last block height, not slot, that takes it; null where time ends it. */
  readonly lastValidBlockHeight: bigint | null
  /** What goes beside the payload in version 2, by the names of extensions. Left out: nothing. */
  readonly extensions?: Fields
}

/**
 * `asset`: it cannot be moved this way. `domain`: the seller names another EIP-712 domain than the operator. `method`: another way of
 * moving it. `fee_payer`: nobody, or nobody fit, is named to pay the fee. `memo`: one that no memo can be. `receiver`: it has no token account.
 * `allowance`: Permit2 may not move as much, and nobody submits a permit. `facilitator`: nobody, or nobody fit, is named who may settle it.
 */
export type AuthorizeOutcome =
  | { readonly ok: true; readonly prepared: PreparedAuthorization }
  | {
      readonly ok: false
      readonly reason:
        | 'asset'
        | 'domain'
        | 'method'
        | 'fee_payer'
        | 'memo'
        | 'receiver'
        | 'allowance'
        | 'facilitator'
    }

/**
 * A transaction of the payer's own that has to be in a block before its payment can settle: it lets Permit2 move the token. Money in native base
 * units.
 */
export interface AwaitedApproval {
  readonly hash: TransactionHash
  /** As the payer signed it. */
  readonly raw: Uint8Array
  readonly nonce: bigint
  /** What the payer must be given before nodes take it; 0 where it has enough. */
  readonly lacks: bigint
  /** The newest block takes more than it offers; a later one may take it. */
  readonly isUnderpriced: boolean
  /** What giving it takes of fees, and what settling is expected to take. */
  readonly fundingFee: bigint
  readonly settlementFee: bigint
  /** The block of which all this is. */
  readonly height: bigint
}

/**
 * What a payment lacks where x402 has one reason for all of it: its payer the money, its receiver an account for the token, itself a time in
 * which the chain would take it.
 */
export type ExactLack = 'money' | 'receiving account' | 'time'

/** What the chain says of an authorization now. */
export type ExactCheck =
  /** With `approval` as soon as that is in a block, for which the payer may lack the money. */
  | { readonly ok: true; readonly approval?: AwaitedApproval }
  | {
      readonly ok: false
      readonly reason: Reason
      readonly message?: string
      readonly lacks?: ExactLack
      /** Whatever else is wrong with it: the chain shows that it was used up, so somebody may have been paid. */
      readonly isUsed?: true
      /** Its call does not run where all that was read of it is as it should be: nodes at different blocks may have answered. */
      readonly isDisputed?: true
      /** It settles as soon as this is in a block. */
      readonly approval?: AwaitedApproval
      /** Whoever is to pay the fee cannot: nothing is said of the payment. */
      readonly isFeePayerShort?: true
    }

/** A settling transaction that can be signed: fees known, simulated alone and found good. */
export interface SettlementDraft {
  readonly terms: Terms
  /** The most the network may take for it, fee raises included; native base units. */
  readonly feeCeiling: BaseUnits
  /** What it will take as far as the node can say; native base units. */
  readonly feeExpected: BaseUnits
  /** Places of the settler that the chain has used up. */
  readonly laneLatest: bigint
  /** The settler's native balance, at the same moment. */
  readonly settlerBalance: bigint
  /** It shares a transaction with nobody: it runs code of the payer's, or takes what nobody else's was found to take. */
  readonly isAlone?: true
  /** It runs code of the payer's. */
  readonly runsPayerCode?: true
}

/** Why there is no draft. */
export type Undrafted = Exclude<ExactCheck, { ok: true }> & {
  /** Solana, of one whose time is over: what the settler's signature under is the name of the transaction that would have settled it. */
  readonly signable?: Terms
}

/** A settlement that waits to be signed together with others of the same settler. */
export interface WaitingSettlement {
  readonly authorization: ExactAuthorization
  readonly draft: SettlementDraft
  /** Its seller wants a transaction of its own. */
  readonly isAlone: boolean
}

/** Settlements that one transaction makes, by their places among those that waited; each takes effect or not by itself. */
export interface SettlementPart {
  readonly indexes: readonly number[]
  readonly draft: SettlementDraft
}

/** What is final about an authorization: `used` also when the payer cancelled it. */
export type AuthorizationState = 'open' | 'used' | 'expired'

/** Somebody's transaction that used an authorization up and paid what it says. */
export interface ForeignSettlement {
  readonly hash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly logIndex: number
  /** `upto` of a wallet of ours: what was taken of what it signed for. Left out: all that the authorization says. */
  readonly taken?: BaseUnits
  /** EVM, of a wallet of ours: all of it has left the wallet, and the token kept a part of it. */
  readonly isLess?: boolean
}

/** Whether an authorization was used up by a block, as far as a node shows. */
export type UsedBy = 'used' | 'unused' | 'behind'

/** What the chain shows of an authorization's end, whoever brought it about. */
export type AuthorizationUse =
  | { readonly kind: 'paid'; readonly settlement: ForeignSettlement }
  /** Cancelled, or its nonce spent on another transfer: it cannot pay while that block stands. */
  | { readonly kind: 'wasted'; readonly height: bigint; readonly blockHash: string }
  /** Not used up yet where the blocks end that were shown: a node that shows it used is ahead of the one that shows by what. */
  | { readonly kind: 'behind' }

/**
 * x402 `exact` on one chain. `read` asks no node; everything else does and throws NodeFailure when none answered properly, which
 * is never the payer's fault.
 */
export interface ExactPayments {
  /** What a payload says that its seller may have left open. Nothing of it is checked: a demand that is made of it is. */
  peek(payload: Fields): ExactPeek
  /**
   * Reads a payload against a demand: form, signature of a plain key, recipient, amount. Time is the chain's, so `check` asks, and for a
   * signature that only the payer's code can judge, too.
   */
  read(payload: Fields, demand: ExactDemand): ExactRead
  /**
   * Solana: whether accounts alone show that the chain would take it, read together with those of whoever asks at the same moment. True is
   * as good as `check` for one that was not settled yet, which its claim tells; false says nothing. Left out where `check` costs no more.
   */
  readonly stands?: (authorization: ExactAuthorization) => Promise<boolean>
  /**
   * Whether the chain would take it: unused, funded, signed. At most one node round trip, shared by whoever waits at the same
   * moment; it carries views only (Solana: a simulation without side effects). One more for a payer with code.
   */
  check(authorization: ExactAuthorization): Promise<ExactCheck>
  /** Asks what settling from this settler needs, its simulation alone included. One round trip. */
  draft(
    authorization: ExactAuthorization,
    settler: Address,
  ): Promise<{ readonly ok: true; readonly draft: SettlementDraft } | Undrafted>
  /** Asks what it takes that a wallet of ours pays a seller. Left out where wallets of ours cannot. */
  readonly authorize?: (order: PayOrder) => Promise<AuthorizeOutcome>
  /**
   * Parts waiting settlements into transactions, in their order. Asks nobody: each was simulated alone, and one that comes to nothing takes
   * nothing from its neighbours. Left out where every settlement has a transaction of its own.
   */
  readonly share?: (waiting: readonly WaitingSettlement[]) => readonly SettlementPart[]
  /**
   * Whether it was used up by the end of that block, as far as a node shows; `behind` where the node that was asked does not have
   * that block yet, or has another one in its place. One that shows it used may have seen it later. Throws NodeFailure. Shared by whoever asks at the same moment. Left out
   * where only the payer's own bytes can pay.
   */
  readonly usedBy?: (
    authorization: ExactAuthorization,
    block: Pick<Block, 'height' | 'hash'>,
  ) => Promise<UsedBy>
  /** What is final about it. */
  finalState(authorization: ExactAuthorization): Promise<AuthorizationState>
  /** Who used it up and paid; undefined when the chain shows nobody since that height. */
  findForeign(
    authorization: ExactAuthorization,
    sinceHeight: bigint,
  ): Promise<AuthorizationUse | undefined>
  /** Solana: payments that programs make for wallets. Left out where no program may. */
  readonly smartWallets?: SmartWalletPayments
}

/** Whether payments of smart wallets are taken, which their network's nodes decide as well as the operator. */
export interface SmartWalletPayments {
  /** Whether they are now. */
  areTaken(): boolean
  /** Asks the nodes, unless they have shown it or were asked just now. What stands against it, undefined when nothing does. */
  whatIsMissing(): Promise<string | undefined>
}
