// Types alone: nothing of the core is loaded from here.
export type { Account } from '../../server/src/chains/solana/accounts.ts'
export type { Address } from '../../server/src/chains/chain.ts'
export type { AccountMeta, Instruction } from '../../server/src/chains/solana/message.ts'
export type {
  ModuleAccounts,
  ModuleMint,
  ModuleOrder,
  ModuleQuote,
  ModuleTools,
  ProgramTrade,
  ProgramVenue,
  VenueModule,
} from '../../server/src/chains/solana/venue-module.ts'
export type { WireInstruction } from '../../server/src/chains/solana/wire-transaction.ts'
