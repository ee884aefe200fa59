import type { BaseUnits } from '@florin/wire/amount.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Address, AssetChange, Block, DraftRefusal, TransactionHash } from './chain.ts'
import type { ExactAuthorization, ExactCheck, ProofKey } from './exact.ts'

/** One transfer that somebody wants to sign in a wallet of its own. */
export interface BuildOrder {
  readonly sender: Address
  readonly recipient: Address
  readonly asset: AssetProfile
  readonly amount: BaseUnits
  /** Total priority fee in native base units; left out, the network's own estimate. */
  readonly priorityFee?: BaseUnits
  /** 32 bytes to put on chain with the transfer, when the recipient and the asset take them. */
  readonly commitment: Uint8Array
}

/**
 * How the bytes are written, base64 apart. `solana-v0`: a whole transaction of version 0 whose missing signatures are zeros.
 * `eip1559-rlp`: what an EIP-1559 signature is over, `0x02 || rlp([...9 fields])`.
 */
export type BuildFormat = 'solana-v0' | 'eip1559-rlp'

/** A transfer that a transaction's own call or instruction makes; nothing that a contract does on its own. */
export interface SummaryTransfer {
  /** `native`, a token's address, or a mint. */
  readonly asset: string
  /** Null: whoever will sign (EVM). */
  readonly from: Address | null
  /** Solana: the wallet when its token account is known, else the token account itself. */
  readonly to: Address
  readonly amount: bigint
}

/** All that a transaction does, read from its bytes alone. */
export interface TransactionSummary {
  /** Who pays the network's fee: EVM the signer, unknown (null) before the signature; Solana the first signer. */
  readonly feePayer: Address | null
  readonly transfers: readonly SummaryTransfer[]
  /** Florin commitments that it carries, 64 lower-case hex digits each. */
  readonly commitments: readonly string[]
  /** Solana: token accounts that it makes where they are missing; the fee payer pays their rent. */
  readonly createsAccounts: readonly {
    readonly account: Address
    readonly owner: Address
    readonly asset: string
  }[]
  /** Everything else in plain words. Empty: it does the above and nothing more. */
  readonly others: readonly string[]
}

/** An EIP-1559 transaction's fields before its signature. */
export interface UnsignedFields {
  readonly to: Address
  readonly value: bigint
  /** 0x and lower-case hex. */
  readonly data: string
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly chainId: bigint
}

/** What the network may take for a built transaction, in native base units. Nobody raises it later. */
export interface BuildFee {
  /** All of the below at most: the sender must have it. */
  readonly max: bigint
  /** Of it, what is offered to be included sooner. */
  readonly priority: bigint
  /** Of it, rent of a token account that the transaction may have to make. */
  readonly accountRent: bigint
}

/** An unsigned transaction. */
export interface Built {
  readonly transaction: Uint8Array
  readonly format: BuildFormat
  /** EVM: the sender's place; null where transactions have none. */
  readonly nonce: bigint | null
  /** Solana: the last block height, not slot, that takes its blockhash. EVM: the height expected when the time is over. */
  readonly lastValidBlockHeight: bigint
  /** For how long it should be used, from the moment of the build; about the chain's own time. */
  readonly validSeconds: number
  /** Whether the chain refuses it after `lastValidBlockHeight`. Where not, only another use of the nonce ends it. */
  readonly expiryEnforcedByChain: boolean
  readonly fee: BuildFee
  readonly carriesCommitment: boolean
  /** What `inspect` says of these bytes, with the sender filled in. */
  readonly summary: TransactionSummary
  /** EVM only. */
  readonly unsigned: UnsignedFields | null
}

/** Everything that a build needs of the chain, asked before anything is reserved. */
export interface Preparation {
  /**
   * Writes the bytes; asks nobody, so that a place can be taken under a row lock. EVM: the sender's next free nonce that is not
   * among `noncesTaken`, the nonces of live builds of this account and wallet; ignored on Solana.
   */
  build(noncesTaken: readonly bigint[]): Built
  /** What the sender can spend, at the same moment: less than amount and `fee.max` is no refusal of the chain's. */
  readonly balances: { readonly native: bigint; readonly asset: bigint }
  /** The fee that `build` will write. */
  readonly fee: BuildFee
}

/** `takes_too_much_gas`: EVM, its receipt would not be read, so that it would pay and be told as something else. */
export type PrepareRefusal = DraftRefusal | 'takes_too_much_gas'

export type PrepareOutcome =
  | { readonly ok: true; readonly preparation: Preparation }
  | { readonly ok: false; readonly refusal: PrepareRefusal }

export type PrepareSettlementOutcome =
  | { readonly ok: true; readonly preparation: Preparation }
  | Exclude<ExactCheck, { readonly ok: true }>

/** A transfer that took effect, as its transaction shows it in its block. */
export interface SightedTransfer {
  readonly asset: string
  readonly from: Address
  readonly to: Address
  /** What the recipient really got. */
  readonly amount: bigint
  /** What its call asked for, where the token gave the recipient less of it: all of it has left the sender (EVM). */
  readonly asked?: bigint
  /** As `Arrival` counts them: EVM `NATIVE_EFFECT_INDEX` or the log's index, Solana the instruction's. */
  readonly effectIndex: number
  /**
   * Whether it came to the account in which a wallet is paid, whoever owns that by now: `to` is its owner afterwards, and the wallet
   * may have given it away while the payment was under way (Solana). Left out where an address is its own account.
   */
  readonly isInto?: (wallet: Address) => boolean
}

/** A transaction in a block that may be one that was built here. */
export interface Sighting {
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly succeeded: boolean
  /** EVM: who signed. Solana: the fee payer. */
  readonly sender: Address
  readonly nonce: bigint | null
  /** Florin commitments that it carries, 64 lower-case hex digits each. */
  readonly commitments: readonly string[]
  /** Empty when it failed. */
  readonly transfers: readonly SightedTransfer[]
  /**
   * Tokens that the sender has less, whoever has them: of a trade of which the node does not keep what its program called (Solana). Nothing of
   * what `transfers` tell.
   */
  readonly spent?: readonly Pick<SightedTransfer, 'asset' | 'amount' | 'effectIndex'>[]
  /** What the fee payer has more or less than before, what it cost apart: where transfers alone do not tell what a trade gave. */
  readonly senderChanges?: readonly AssetChange[]
  /**
   * A program was called whose effect only a module tells, and that one failed at it; or what every node tells of it contradicts itself or is
   * incomplete. `transfers` may lack what it did, or tell it wrongly.
   */
  readonly isUntold?: true
  /** Every node says that it failed, and by the balances around it it did something (Solana): untold, and called `succeeded`, so that nobody takes it for dead. */
  readonly isFailureDoubted?: true
  /** It carries exactly one commitment, makes exactly one transfer of its own, and does nothing else but pay for itself. */
  readonly isPlain: boolean
  /** What the fee payer lost beyond its transfers; native base units. */
  readonly feePaid: BaseUnits
  /** As the chain's `Outcome` says it. */
  readonly priorityFeePaid?: bigint
  /** What `exact` calls the payment that it settles, or tries to; null when it settles none that is known by its form. */
  readonly proofKey: ProofKey | null
}

/** What somebody looks for among the transactions of a few blocks. */
export interface Watched {
  readonly senders: ReadonlySet<Address>
  /** 64 lower-case hex digits each. What carries one is read whole although it is no plain transfer (EVM). */
  readonly commitments: ReadonlySet<string>
  /** Who signs beside a fee payer what is looked for by those very bytes (Solana). Left out: nobody. */
  readonly cosigners?: ReadonlySet<Address>
}

/** Who and what stands in a few blocks; `Watched` is the part of it that matters. */
export interface Seen {
  readonly senders: readonly Address[]
  readonly commitments: readonly string[]
  /** Fee payers beside whom somebody signed (Solana). Left out where nobody can. */
  readonly cosigned?: readonly Address[]
}

/** Why bytes are no transaction of this network that somebody could send. Plain words; nothing of ours in them. */
export interface Unreadable {
  readonly ok: false
  readonly reason: string
}

/** A transaction read from its bytes. */
export interface Inspected {
  readonly ok: true
  readonly format: BuildFormat
  /** Every signature is there and right. */
  readonly isSigned: boolean
  /** Its id; null before it is signed. */
  readonly hash: TransactionHash | null
  /** EVM: who signed, null before. Solana: the fee payer. */
  readonly sender: Address | null
  readonly nonce: bigint | null
  /** Solana: the blockhash that it lives by; null on EVM. */
  readonly blockhash: string | null
  /** What the network may take at most without rent of new accounts; native base units. */
  readonly feeMax: bigint
  readonly summary: TransactionSummary
  /** What `exact` calls the payment that it would settle; EVM: null when it settles none. */
  readonly proofKey: ProofKey | null
}

/** What a balance does. */
export interface BalanceChange {
  readonly address: Address
  readonly asset: string
  /** Negative: it loses. Base units; the network's fee is not in it. */
  readonly delta: bigint
}

export interface SimulationOutcome {
  readonly succeeds: boolean
  /** Why not, in plain words; null when it succeeds. */
  readonly error: string | null
  readonly changes: readonly BalanceChange[]
  /** What the network would take as far as the node can say; native base units. */
  readonly fee: bigint
}

/**
 * Transactions that are built here, signed elsewhere and followed here. Everything but `inspect` and `Preparation.build` asks a node
 * and throws NodeFailure when none answered properly. Facts of the chain that all builds share (fees, newest blockhash, head) are at
 * most `limits.buildFactsMilliseconds` old.
 */
export interface SelfCustody {
  /** Asks what a transfer needs. */
  prepare(order: BuildOrder): Promise<PrepareOutcome>
  /**
   * Asks what it takes that the seller's own wallet settles a payment: EVM the settling call from `settler`; Solana the buyer's
   * transaction, whose fee payer `settler` must be. `authorization` comes from `exact.read` with `settler` among its settlers.
   */
  prepareSettlement(
    authorization: ExactAuthorization,
    settler: Address,
    priorityFee?: BaseUnits,
  ): Promise<PrepareSettlementOutcome>
  /**
   * What transactions of watched senders, and those that carry a watched commitment, did in these blocks, in their order. `watched`
   * is asked once per few blocks. Undefined when one of these blocks is not the chain's any more. Solana: a transaction counts
   * when it has a memo and a watched sender pays its fee, or when a watched cosigner signed it.
   */
  sightings(
    blocks: readonly Block[],
    watched: (seen: Seen) => Promise<Watched>,
  ): Promise<readonly Sighting[] | undefined>
  /**
   * Reads bytes, signed or not, strictly: every byte is accounted for. `wallets`: whose token accounts are recognised as theirs
   * (Solana), beside those that the transaction itself names.
   */
  inspect(bytes: Uint8Array, wallets?: readonly Address[]): Inspected | Unreadable
  /**
   * What would happen if it were sent now; signatures are not looked at. `sender` is who would sign, where the bytes do not say it
   * (EVM, unsigned).
   */
  simulate(bytes: Uint8Array, sender?: Address): Promise<SimulationOutcome | Unreadable>
}
