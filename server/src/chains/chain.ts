import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Brand } from '@florin/wire/brand.ts'
import type { AssetProfile, NetworkConfig } from '../kernel/network-config.ts'
import type { BatchSettlement } from './batch.ts'
import type { ExactPayments } from './exact.ts'
import type { MarketReader } from './market.ts'
import type { NodeState } from './node-state.ts'
import type { SelfCustody } from './self-custody.ts'
import type { Signer } from './signer.ts'
import type { TokenReader } from './token-reader.ts'
import type { Venue } from './venue.ts'

/** An address of the chain's family in its one canonical spelling (EVM: EIP-55; Solana: base58). */
export type Address = Brand<string, 'Address'>

/** A transaction's id on its chain (EVM: 0x + 64 hex digits, lower case; Solana: base58 signature). */
export type TransactionHash = Brand<string, 'TransactionHash'>

/** Everything that decides the signed bytes except the place in the lane. JSON, chain-specific, read back only by its own chain. */
export type Terms = Brand<Readonly<Record<string, string>>, 'Terms'>

/** One transfer that somebody wants from a wallet of ours. */
export interface TransferOrder {
  readonly sender: Address
  readonly recipient: Address
  readonly asset: AssetProfile
  readonly amount: BaseUnits
  /** Total priority fee in native base units; left out, the network's own estimate. */
  readonly priorityFee?: BaseUnits
  /** 32 bytes to put on chain with the transfer, when the recipient and the asset take them. */
  readonly commitment: Uint8Array
}

/** What the node said a transfer needs; nothing is signed and nothing is reserved yet. */
export interface Draft {
  readonly terms: Terms
  /** The most the network may take for it, fee bumps included. Native base units. */
  readonly feeCeiling: BaseUnits
  /** What the terms offer in all to be included sooner, an allowance before them included. Native base units; left out where nobody offers any. */
  readonly priorityFee?: BaseUnits
  /** Whether the terms carry the commitment (a recipient's code may refuse call data). */
  readonly carriesCommitment: boolean
  /** What the sender can spend (Solana: beyond the rent-exempt minimum that must stay), all read at the same block. */
  readonly balances: {
    readonly native: bigint
    readonly asset: bigint
    readonly height: bigint
    /** Hash of the block at that height, so that a balance of another fork is not taken for news; null when it moved meanwhile. */
    readonly blockHash: string | null
  }
  /** Places of the sender that the chain has used up, as of its latest block: what a new lane starts at. */
  readonly laneLatest: bigint
  /** Unix time of the newest block, by the node that was asked. Left out where nothing that is signed depends on it (Solana). */
  readonly chainTimeSeconds?: bigint
}

/** A "no" that is the order's own fault and safe to tell. */
export type DraftRefusal =
  | 'recipient_refuses'
  | 'recipient_is_asset'
  | 'recipient_is_zero'
  /** Solana: a program, or an address that no key can sign for and that does not exist. */
  | 'recipient_is_no_wallet'
  /** Solana: a new account would hold less than the rent-exempt minimum. */
  | 'amount_below_rent'

export type DraftOutcome =
  | { readonly ok: true; readonly draft: Draft }
  | { readonly ok: false; readonly refusal: DraftRefusal }

/** Signed bytes and their id, final before any node hears of them. */
export interface SignedTransaction {
  readonly raw: Uint8Array
  readonly hash: TransactionHash
  /** What is stored of the terms beside the bytes: all that these do not hold. Left out: the terms. */
  readonly kept?: Terms
}

/**
 * What a node's answer to a broadcast means.
 * `accepted` and `known`: it has the bytes. `unknown`: nobody can say; send the same bytes again.
 * `nonce_too_low`: the place is used, by us or by a stranger: look before deciding. `replacement_underpriced`: an attempt of
 * the same place is already pooled. `nonce_too_high`: a gap below. `rejected`: this node refused before accepting.
 */
export type Verdict =
  | {
      readonly kind:
        'accepted' | 'known' | 'nonce_too_low' | 'replacement_underpriced' | 'nonce_too_high'
    }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'rejected'; readonly reason: 'insufficient_funds' | 'fee_too_low' | 'invalid' }

export interface Head {
  readonly height: bigint
  readonly hash: string
  /** Highest block that the network's policy calls final. */
  readonly finalizedHeight: bigint
  /** The head's own block, where the answer shows it: whoever has read up to its parent need not ask for it. */
  readonly block?: Block
}

export interface Block {
  readonly height: bigint
  readonly hash: string
  /** Hash of the block it builds on; heights may skip (Solana's are slots), this link may not. */
  readonly parentHash: string
  readonly timeMilliseconds: number
  readonly transactionHashes: readonly TransactionHash[]
  /** Wei per gas that each of its transactions burns. Left out where blocks do not say it (Solana, EVM before EIP-1559). */
  readonly baseFeePerGas?: bigint
}

/** A token transfer that a mined transaction's logs show, whichever the token. */
export interface TokenTransfer {
  readonly asset: string
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly logIndex: number
}

/**
 * The index under which a transfer counts that has no log of its own, as EVM's native ones: below every log's, so that a call that also
 * writes the first log of its block moves two things and not one.
 */
export const NATIVE_EFFECT_INDEX = -1

/** A transfer of a configured asset that took effect in a block. */
export interface Arrival {
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly asset: string
  /** Who lost it; where it was made from nothing, EVM's zero address, and on Solana who may make it. */
  readonly from: Address
  readonly to: Address
  /** What the recipient really got, never 0. */
  readonly amount: BaseUnits
  /** Tells the transfers of one transaction in one block apart; another block may show others. */
  readonly effectIndex: number
}

/** A transaction in a block that may have brought something, and of which no node tells what in a way that can be believed. */
export interface UnreadArrival {
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  /** One of those who may have got it; left out where no node tells whom it names. */
  readonly address?: Address
}

/** What the chain shows of a transaction. A look-up that failed is not `absent`: it throws NodeFailure. */
export type Outcome =
  | { readonly state: 'absent' }
  /** It is in this block, and no node that was asked tells what it moved (Solana): known as little as one that nobody has seen. */
  | { readonly state: 'untold'; readonly height: bigint; readonly blockHash: string | null }
  | {
      readonly state: 'mined'
      readonly height: bigint
      /** Null when the node knows the transaction and has forgotten the block around it. */
      readonly blockHash: string | null
      readonly succeeded: boolean
      /** What the sender lost beyond the transfer itself: network fees and rent of accounts it created. Native base units. */
      readonly feePaid: BaseUnits
      /** What of that was for being included sooner, never more than it. Left out where the chain does not tell. */
      readonly priorityFeePaid?: bigint
      readonly transfers: readonly TokenTransfer[]
      /** What its fee payer's own balances did, the network's fee apart. Left out where the chain does not say (EVM). */
      readonly senderChanges?: readonly AssetChange[]
      /**
       * Whom a transfer pays is decided by the account that the signed bytes name, and `to` only says whose that was afterwards: its
       * owner may have given it away meanwhile (Solana). Left out where an address is its own account.
       */
      readonly paysAccounts?: true
    }

/** What somebody's balance of one asset did. Negative: lost. Base units. */
export interface AssetChange {
  /** `native`, a token's address, or a mint. */
  readonly asset: string
  readonly delta: bigint
}

/** How many places of a signing address the chain has used up. */
export interface LanePosition {
  readonly latest: bigint
  readonly finalized: bigint
  /** The block up to which `finalized` is counted. */
  readonly finalizedHeight: bigint
}

/** How far a node's final blocks reach. */
export interface FinalReach {
  /** In the unit of lifetimes. */
  readonly lifetime: bigint
  /** Of the same block, as heights are counted elsewhere. */
  readonly height: bigint
}

/** One node's look for a transaction in its whole history, after it had named its final height. */
export interface HistoryLook {
  /** Which node, in words that hold no secret. */
  readonly node: string
  /** The height, in the unit of lifetimes, that this node called final before it looked. */
  readonly finalizedHeight: bigint
  /** Of the same block, as heights are counted elsewhere. */
  readonly height: bigint
  readonly found: boolean
  /** Whether its history has each of the blocks that were named: what it does not find was in none of them. Left out where none were named. */
  readonly covers?: boolean
}

/** A transaction that is about to be called dead. */
export interface Doomed {
  /** Its bytes, signed or not. */
  readonly raw: Uint8Array
  /** Whoever is behind this height may not know yet what it builds on. */
  readonly sinceHeight: bigint
}

/**
 * How a stored transaction that does not get in is renewed. `fee`: the same place at a higher fee; either one or the other can be
 * mined. `lifetime`: new bytes, allowed only once every earlier attempt is proven dead, since both could be mined.
 */
export type Renewal =
  | { readonly kind: 'fee' }
  | {
      readonly kind: 'lifetime'
      /** The last height at which bytes with these terms can be included, as the node told it that they were made with. */
      lifetimeOf(terms: Terms): bigint
      /** The hash of the block after which bytes with these terms were made; left out, or undefined, where they name none. */
      madeAfter?(terms: Terms): string | undefined
      /** Whether new bytes can be made here; only the payer can make those of its own transaction. Left out: always. */
      isRenewable?(terms: Terms): boolean
      /**
       * Per hash, one look per node that answered and moves, or has found it. Throws NodeFailure when there is none. `among`: the heights of final blocks in a
       * row, of which each look then tells whether the node's history has them.
       */
      lookBack(
        hashes: readonly TransactionHash[],
        among?: readonly bigint[],
      ): Promise<readonly (readonly HistoryLook[])[]>
      /**
       * For each transaction a height above which no block takes it: by then each of the nodes calls it over on its own final chain, whatever
       * one of them told when it was made. Undefined where a node says that it can still be included, says nothing or is behind; one that has given no
       * result, or has not moved, for `nodeSilentSeconds`, while others did, is passed over. Blocks up to that height may hold it. Asks every node, and
       * never throws for one.
       */
      deadFrom(asked: readonly Doomed[]): Promise<readonly (bigint | undefined)[]>
      /**
       * How far each node that answered and moves calls the chain final now. Throws NodeFailure when none did. Left out where nothing is built for
       * others to sign.
       */
      readonly finalHeights?: () => Promise<readonly FinalReach[]>
    }

/** What a network would take now for one plain payment of its native currency. Native base units. */
export interface FeeEstimate {
  /** Everything, the priority fee included. */
  readonly transfer: BaseUnits
  /** Of it, what we would offer to be included sooner. */
  readonly priorityFee: BaseUnits
}

/**
 * The one port to a chain. Everything but `sign` and the parsers asks a node and throws NodeFailure when no node
 * answered properly; a failure decides nothing about a payment.
 */
export interface Chain {
  readonly config: NetworkConfig
  /** Reads an address in any accepted spelling; undefined when malformed or its checksum is wrong. */
  parseAddress(text: string): Address | undefined
  /** The raw bytes of an address (EVM: 20; Solana: 32), as commitments are made of. */
  addressBytes(address: Address): Uint8Array
  /** Asks everything that deciding and signing need, in one round trip. */
  draft(order: TransferOrder): Promise<DraftOutcome>
  /** Local for a local signer, so it may run inside a database transaction. */
  sign(terms: Terms, nonce: bigint, signer: Signer): Promise<SignedTransaction>
  readonly renewal: Renewal
  /**
   * Terms of the same effect for the next attempt, or undefined when the ceiling leaves no room. EVM: both fees raised by at least
   * 12.5 %; Solana: a new lifetime. Terms that were kept beside signed bytes want these, too. Asks a node.
   */
  renew(terms: Terms, feeCeiling: BaseUnits, raw?: Uint8Array): Promise<Terms | undefined>
  /** Hands bytes to every configured node; one verdict each, in order. Never throws for a node's failure: that is `unknown`. */
  broadcast(raws: readonly Uint8Array[]): Promise<readonly Verdict[]>
  /** The newest block. A height that the asker knows to be final (`known`) may be told again as what is final, which spares a question where a node has to say it. */
  head(known?: bigint): Promise<Head>
  /** The blocks from a height on, at most `count`, in order; fewer when the chain ends. One round trip. */
  blocks(fromHeight: bigint, count: number): Promise<readonly Block[]>
  /**
   * The blocks above one that was read up to a head, where others have read all of them here already: each is the parent of the next. Asks nobody. Left out where nothing
   * is kept for others.
   */
  readonly between?: (
    read: { readonly height: bigint; readonly blockHash: string },
    head: Block,
  ) => readonly Block[] | undefined
  /**
   * The transfers of configured assets in the given blocks to the addresses that `ours` keeps of those it is asked about, in the order of the
   * blocks. Undefined when one of these blocks is not the chain's any more. Asks per block, never per address: one round trip for a
   * few blocks, and one more only when something arrived. Not seen: what a contract or program moves by its own hand without
   * a token's transfer (EVM internal transfers, lamports that a program gives away, rent that comes back). `unread` is told of each transaction that
   * may have brought something and that no node tells in a way that can be believed; left out, that is a NodeFailure.
   */
  arrivals(
    blocks: readonly Block[],
    ours: (addresses: readonly Address[]) => Promise<ReadonlySet<Address>>,
    unread?: (arrival: UnreadArrival) => void,
  ): Promise<readonly Arrival[] | undefined>
  /**
   * The canonical chain's view of each hash, in order. One round trip, and one more where something stands in another block than those that the
   * asker has just read as the chain's (`followed`). What stands in one of these is asked of the next node where one does not have it, and is `untold` where none
   * tells it in a way that can be read (Solana).
   */
  outcomes(
    hashes: readonly TransactionHash[],
    followed?: readonly Pick<Block, 'height' | 'hash' | 'transactionHashes'>[],
  ): Promise<readonly Outcome[]>
  lanePosition(address: Address): Promise<LanePosition>
  /** How many transactions of an address wait for a block. Left out where transactions have no places. */
  readonly pooled?: (address: Address) => Promise<bigint>
  /** What one address can spend of each asset, in the order given, all at one block. */
  balances(
    address: Address,
    assets: readonly AssetProfile[],
  ): Promise<{
    readonly height: bigint
    readonly amounts: readonly bigint[]
    /** With what is its own and frozen for now; left out where nothing is. */
    readonly owned?: readonly bigint[]
  }>
  /** x402 `exact`, where the chain has it. */
  readonly exact?: ExactPayments
  /** x402 `batch-settlement`, where the network has its escrow. */
  readonly batch?: BatchSettlement
  /** Transactions for wallets of others, where the chain has them. */
  readonly selfCustody?: SelfCustody
  /** Where its tokens are traded; none when left out. */
  readonly venues?: readonly Venue[]
  /** What its markets do, where it has any. */
  readonly market?: MarketReader
  /** Facts about any token, where the chain tells them. */
  readonly tokens?: TokenReader
  /** What a plain transfer would take at this moment. */
  estimateFees(): Promise<FeeEstimate>
  /** How each configured node does. Left out by chains without nodes. */
  readonly nodes?: () => readonly NodeState[]
  /** The random id that only a sandbox node answers, or null on a real network. */
  sandboxInstance(): Promise<string | null>
}

/** No node gave a proper answer. Never the payer's fault; never a verdict on a payment. Its text stays inside. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure'
}
