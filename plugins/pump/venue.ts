import { PROGRAM, addressesBy } from './addresses.ts'
import type { Addresses } from './addresses.ts'
import { readCurve, readFeeTiers, readGlobal } from './layouts.ts'
import type { Curve, Global } from './layouts.ts'
import { feesOf, impactOf, lamportsFor, tokensFor } from './prices.ts'
import type { Fees } from './prices.ts'
import { DATA_BYTES, readTrade, tradeInstruction } from './trade.ts'
import type {
  Address,
  ModuleAccounts,
  ModuleOrder,
  ModuleQuote,
  ModuleTools,
  VenueModule,
} from './venue-api.ts'

const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const U64_MAX = 2n ** 64n - 1n
/** Of the account in which the program counts what a wallet has traded. */
const VOLUME_BYTES = 137

interface Market {
  readonly curve: Curve
  readonly global: Global
  readonly fees: Fees
}

/** The bonding curve of pump.fun for coins that are paid in lamports. NOT run against the live program: README.md says what was shown. */
export const venue = {
  api: 1,
  name: 'pump',
  networks: [MAINNET, DEVNET],
  program: PROGRAM,
  open: (tools) => {
    const addresses = addressesBy(tools)
    return {
      dataBytes: DATA_BYTES,
      accounts: ({ address }) => [addresses.curve(address), addresses.global, addresses.feeConfig],
      quote: (order, accounts) => quoteOf(order, marketOf(tools, addresses, accounts), addresses),
      trade: ({ side, wallet, mint, ...amounts }, accounts) => {
        const market = marketOf(tools, addresses, accounts)
        if (market === undefined) throw new Error('a trade of what was not quoted')
        const { feeRecipients, buybackRecipients } = market.global
        const parties = {
          ...{ side, wallet, mint },
          feeRecipient: oneOf(tools, feeRecipients, wallet),
          buyback: oneOf(tools, buybackRecipients, wallet),
          vault: addresses.creatorVault(market.curve.creator),
        }
        return tradeInstruction(tools, addresses, parties, amounts)
      },
      opens: (wallet) => [{ address: addresses.userVolume(wallet), bytes: VOLUME_BYTES }],
      read: (call) => readTrade(tools, addresses, call),
    }
  },
} satisfies VenueModule

/** Undefined where nothing is traded by this way: no curve, one that is paid in tokens, or settings that read otherwise. */
function marketOf(
  tools: ModuleTools,
  addresses: Addresses,
  [first, second, third]: ModuleAccounts,
): Market | undefined {
  const { program, feeProgram, native, nobody } = addresses
  const curve = readCurve(tools, program, first)
  const global = readGlobal(tools, program, second, nobody)
  const tiers = readFeeTiers(feeProgram, third)
  if (curve === undefined || global === undefined || tiers === undefined) return undefined
  // A mayhem coin has fees by its own supply, and others who take them.
  if (curve.isMayhem || ![nobody, native.address].includes(curve.quoteMint)) return undefined
  const { isCreatorFeeOwn } = global
  const fees = feesOf(curve, tiers, { isCreatorFeeOwn, hasCreator: curve.creator !== nobody })
  return fees && { curve, global, fees }
}

function quoteOf(
  { side, mint, amountIn }: ModuleOrder,
  market: Market | undefined,
  addresses: Addresses,
): ModuleQuote {
  if (market === undefined) return { ok: false, refusal: 'no_market' }
  const { curve, fees } = market
  const none = { ok: false, refusal: 'insufficient_liquidity' } as const
  if (curve.isComplete || amountIn > U64_MAX) return none
  const said = { curve: addresses.curve(mint.address) }
  if (side === 'buy') {
    const priced = tokensFor(amountIn, curve, fees)
    if (priced.out > curve.realTokens) return none
    return yes(priced.out, impactOf(priced), said)
  }
  const priced = lamportsFor(amountIn, curve, fees)
  if (priced.gross > curve.realLamports) return none
  return yes(priced.out, impactOf(priced), said)
}

function yes(amountOut: bigint, impact: bigint | null, route: Record<string, string>): ModuleQuote {
  return { ok: true, amountOut, priceImpactBasisPoints: impact, route }
}

/** By the wallet's address, so that wallets are spread over them as the program wishes. */
function oneOf(tools: ModuleTools, list: readonly Address[], wallet: Address): Address {
  const found = list[(tools.addressBytes(wallet)[0] ?? 0) % list.length]
  if (found === undefined) throw new Error('settings without a recipient are not read')
  return found
}
