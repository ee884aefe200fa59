import type { Address } from '../chain.ts'
import type { TradeSide } from '../venue.ts'
import type { Account } from './accounts.ts'
import type { Instruction } from './message.ts'
import type { WireInstruction } from './wire-transaction.ts'

/** What this file describes. A module of another version is not loaded. */
export const VENUE_API = 1

/**
 * A venue from outside: a package that an operator names, for one program on chain. It asks nobody and signs nothing; it says which accounts
 * matter, what they mean, and what the one instruction of a trade is. The core reads the accounts, builds, checks, rehearses and signs.
 */
export interface VenueModule {
  readonly api: typeof VENUE_API
  /** As the networks file and the answers name it. */
  readonly name: string
  /** The networks that its program is on. */
  readonly networks: readonly string[]
  /** In base58. */
  readonly program: string
  open(tools: ModuleTools): ProgramVenue
}

/** What a module would else bring along itself. */
export interface ModuleTools {
  addressBytes(address: Address): Uint8Array
  addressFromBytes(bytes: Uint8Array): Address
  knownAddress(text: string): Address
  /** The account of a program that has these seeds. */
  derived(program: Address, seeds: readonly Uint8Array[]): Address
  /** An owner's associated account. */
  associated(owner: Address, mint: ModuleMint): Address
}

/** A mint, and the token program that owns it. */
export interface ModuleMint {
  readonly address: Address
  readonly program: Address
}

/** Exactly so much goes in, the fee included. */
export interface ModuleOrder {
  readonly side: TradeSide
  readonly mint: ModuleMint
  readonly amountIn: bigint
}

/** In the order in which `accounts` named them; undefined where there is none. Data are cut off behind their first 4,096 bytes. */
export type ModuleAccounts = readonly (Account | undefined)[]

export type ModuleQuote =
  | {
      readonly ok: true
      readonly amountOut: bigint
      readonly priceImpactBasisPoints: bigint | null
      readonly route: Readonly<Record<string, string>>
    }
  | { readonly ok: false; readonly refusal: 'no_market' | 'insufficient_liquidity' }

/** What an instruction of the program trades, as its bytes and its accounts alone say. */
export interface ProgramTrade {
  readonly side: TradeSide
  readonly wallet: Address
  readonly mint: Address
  readonly amountIn: bigint
  /** The program itself gives no less. */
  readonly minimumOut: bigint
  /** Who owns what tokens go to, and who is told as the receiver of lamports. */
  readonly counterparty: Address
}

/** Decides by what it is handed alone. */
export interface ProgramVenue {
  /** Bytes of the data of every instruction that `read` knows. */
  readonly dataBytes: number
  /** Every account that a quote and a trade are made of; 16 at most. */
  accounts(mint: ModuleMint): readonly Address[]
  quote(order: ModuleOrder, accounts: ModuleAccounts): ModuleQuote
  /** Only after `quote` said yes to the same accounts. */
  trade(
    order: ModuleOrder & { readonly wallet: Address; readonly minimumOut: bigint },
    accounts: ModuleAccounts,
  ): Instruction
  /** Accounts that the program makes for a wallet in its first trade, at the wallet's cost. They stay. */
  opens(wallet: Address): readonly { readonly address: Address; readonly bytes: number }[]
  /** Undefined when an account or a byte is not as `trade` would have it. */
  read(call: WireInstruction): ProgramTrade | undefined
}

/** A venue of a module, bound to the chain's own arithmetic. */
export interface OpenedModule {
  readonly name: string
  readonly program: Address
  readonly venue: ProgramVenue
}
