import type { BaseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from './chain.ts'
import type { Address, AssetChange, DraftOutcome, Terms, TokenTransfer } from './chain.ts'
import type { Preparation } from './self-custody.ts'

/** Where tokens are traded for a network's native currency: a market of MarketConfig, or the name of a module from outside. */
export type VenueName = string

/** Those whose trades every installation can read from a block, whatever its networks file lists. */
export const OWN_VENUES: readonly VenueName[] = ['uniswap-v2', 'uniswap-v3', 'rfq', 'jupiter']

/** Buy: native currency goes in and the token comes out. Sell: the other way round. */
export type TradeSide = 'buy' | 'sell'

/** A token that may be traded, as its own chain tells it. */
export interface TradedToken {
  /** EVM: the token's address (EIP-55). Solana: the mint. */
  readonly mint: Address
  readonly decimals: number
  readonly symbol: string | null
}

/** What somebody would like to know the price of. */
export interface QuoteOrder {
  readonly side: TradeSide
  readonly token: TradedToken
  /** Base units of what goes in: native for a buy, the token for a sell. */
  readonly amountIn: bigint
}

/** What a venue would give at this moment. */
export interface Quote extends QuoteOrder {
  readonly venue: VenueName
  /** Base units of what comes out. */
  readonly amountOut: bigint
  /** How much worse than the venue's price for nothing at all, in hundredths of a percent; null when nobody can know. */
  readonly priceImpactBasisPoints: bigint | null
  /** Block or slot of the state that it was computed from; never older than one block. */
  readonly height: bigint
  /** After it the venue gives no promise any more; null where there is none to begin with. */
  readonly expiresAtMilliseconds: number | null
  /** The venue's own account of how: plain text fields, read back by nobody else. Kept with the trade. */
  readonly route: Readonly<Record<string, string>>
}

/**
 * `others`: what else the venue would give, less than `quote` or as much, by other pools or makers: taken where that one is not carried. The
 * most first. `no_market`: the venue does not trade this token. `insufficient_liquidity`: not for that much.
 */
export type QuoteOutcome =
  | { readonly ok: true; readonly quote: Quote; readonly others?: readonly Quote[] }
  | { readonly ok: false; readonly refusal: 'no_market' | 'insufficient_liquidity' }

/** A quote that is to be traded. */
export interface SwapOrder {
  readonly wallet: Address
  readonly quote: Quote
  /** Base units. The chain itself refuses to give less. */
  readonly minimumOut: bigint
  /** Total priority fee in native base units; left out, the network's own estimate. */
  readonly priorityFee?: BaseUnits
  /** 32 bytes that the transaction may carry, where the venue has a place for them. */
  readonly commitment: Uint8Array
}

/** What must be on chain before the swap can be: EVM, a token's allowance of exactly the amount, whatever was allowed before. Same wallet, the place right before. */
export interface AllowanceDraft {
  readonly terms: Terms
  readonly feeCeiling: BaseUnits
}

/**
 * A swap that can be signed. `draft.balances.asset` is of what goes in. `counterparty`: where what goes in ends up (EVM: router for
 * native, pair for a token; Solana: the maker), so that its effect can be told in the block.
 */
export type SwapDraftOutcome =
  | (Extract<DraftOutcome, { ok: true }> & {
      readonly counterparty: Address
      readonly allowance: AllowanceDraft | null
    })
  /**
   * `price_moved`: the chain would give less than the minimum now. `less_than_quoted`: so would this market, for a reason that is not in what
   * the chain shows; its quote counts for nothing. `allowance_left`: EVM, the token takes no new allowance while another one
   * of `left` base units is there: a sale of exactly that much needs none.
   */
  | {
      readonly ok: false
      readonly refusal: 'price_moved' | 'less_than_quoted' | 'no_market' | 'insufficient_funds'
    }
  | { readonly ok: false; readonly refusal: 'allowance_left'; readonly left: bigint }

/** A swap for somebody else's wallet to sign; EVM: `allowance` is to be signed and sent first, when there is one. */
export type SwapPrepareOutcome =
  | {
      readonly ok: true
      readonly counterparty: Address
      readonly preparation: Preparation
      readonly allowance: Preparation | null
    }
  | Extract<SwapDraftOutcome, { ok: false }>

/**
 * A venue quoted, and what it then wants signed is nothing that a wallet signs here: its quote counts for nothing. Any other NodeFailure says
 * nothing of the quote.
 */
export class NotCarried extends NodeFailure {}

/**
 * One market on one chain. Everything but `received` and `taken` asks a node, or the venue's own service, and throws NodeFailure when none answered
 * properly.
 */
export interface Venue {
  readonly name: VenueName
  quote(order: QuoteOrder): Promise<QuoteOutcome>
  /** Asks everything that signing the swap needs. Throws NotCarried where what the venue built is not signed. */
  draft(order: SwapOrder): Promise<SwapDraftOutcome>
  /** The same for a wallet of others. */
  prepare(order: SwapOrder): Promise<SwapPrepareOutcome>
  /**
   * What a mined swap really gave, in base units of what comes out, read from its transaction; null when that does not show it. Solana
   * tells it by `senderChanges` where they are known, else by native transfers among the others (`asset` is `native`).
   */
  received(swap: MinedSwap): bigint | null
  /** The same of what went in: less than was offered where a pool took a part only. */
  taken(swap: MinedSwap): bigint | null
}

/** A swap in its block. */
export interface MinedSwap {
  readonly wallet: Address
  readonly quote: Quote
  readonly transfers: readonly TokenTransfer[]
  /** Of the outcome, when the wallet paid the transaction's fee; undefined when nobody told. */
  readonly senderChanges: readonly AssetChange[] | undefined
}
