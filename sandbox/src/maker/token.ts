import type { Address } from '@solana/kit'
import { SOLANA_USDC, SOLANA_USDC_DECIMALS } from '../solana/chain-facts.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../solana/chain/program-addresses.ts'

/** What the maker trades for SOL. Worth nothing, like everything here: sandbox prices. */
export interface TokenPlan {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly program: Address
  /** A mint that is there already; null: one of the maker's own, made when the chain has none. */
  readonly mint: string | null
  /** What the maker is given to begin with, in base units. */
  readonly supply: bigint
  /** The lamports that stand against the supply on the maker's curve at the beginning: they decide price and depth. */
  readonly lamports: bigint
}

/** One that trades, with its accounts. */
export interface MakerToken extends TokenPlan {
  readonly mint: Address
  /** The maker's own token account. */
  readonly account: Address
}

const SOL = 10n ** 9n

export const TOKEN_PLANS: readonly TokenPlan[] = [
  {
    symbol: 'ACORN',
    name: 'Sandbox Acorn',
    decimals: 6,
    program: TOKEN_PROGRAM,
    mint: null,
    supply: 1_000_000_000n * 10n ** 6n,
    lamports: 10_000n * SOL,
  },
  {
    // Thin on purpose: half of it is sold out at 50 SOL.
    symbol: 'BRIAR',
    name: 'Sandbox Briar',
    decimals: 9,
    program: TOKEN_PROGRAM,
    mint: null,
    supply: 1_000_000n * 10n ** 9n,
    lamports: 50n * SOL,
  },
  {
    symbol: 'CEDAR',
    name: 'Sandbox Cedar',
    decimals: 2,
    program: TOKEN_2022_PROGRAM,
    mint: null,
    supply: 21_000_000n * 10n ** 2n,
    lamports: 21_000n * SOL,
  },
  {
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: SOLANA_USDC_DECIMALS,
    program: TOKEN_PROGRAM,
    mint: SOLANA_USDC,
    supply: 150_000_000n * 10n ** 6n,
    lamports: 1_000_000n * SOL,
  },
]
