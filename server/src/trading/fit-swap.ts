import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { NotCarried } from '../chains/venue.ts'
import type {
  Quote,
  SwapDraftOutcome,
  SwapOrder,
  TradeSide,
  TradedToken,
  Venue,
} from '../chains/venue.ts'
import { limits } from '../kernel/limits.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Random } from '../kernel/random.ts'
import { amountOf } from './amount-in.ts'
import type { Wanted } from './amount-in.ts'
import { bestQuotes } from './best-quote.ts'
import type { Best } from './best-quote.ts'
import { shortOf, swapRefusal } from './refusals.ts'
import { minimumOut } from './slippage.ts'

/** What somebody wants traded. */
export interface SwapWish {
  readonly chain: Chain
  readonly walletAddress: Address
  readonly side: TradeSide
  readonly token: TradedToken
  /** What goes in. */
  readonly asset: AssetProfile
  readonly wanted: Wanted
  /** Percent, decimal text. */
  readonly slippage: string
  readonly priorityFee: BaseUnits | null
}

/** What a venue answered, and to which order. */
export interface Fitted<Outcome> {
  readonly outcome: Outcome
  readonly quote: Quote
  readonly minimumOut: bigint
  /** What the transaction carries where it can. */
  readonly commitment: Uint8Array
}

type Refused = Extract<SwapDraftOutcome, { ok: false }>

const COMMITMENT_BYTES = 32

/**
 * What a venue makes of a wish: of the quote that gives most, unless its venue cannot carry that, and then of the next. A part of a balance is one
 * of the balance that the venue's own answer was made of: where that has changed meanwhile, all of it is asked again. Refuses as
 * `bestQuotes` does, and what the best venue refuses where no other carries it; then a venue that failed makes it NodeFailure.
 */
export async function fitSwap<Outcome extends { readonly ok: true }>(
  wish: SwapWish,
  random: Random,
  ask: (venue: Venue, order: SwapOrder) => Promise<Outcome | Refused>,
  balanceOf: (outcome: Outcome) => bigint,
): Promise<Fitted<Outcome>> {
  const { chain, wanted, asset, side, token } = wish
  let balance = wanted.kind === 'share' ? await balanceNow(wish) : 0n
  for (let tries = 0; tries < limits.tradeSharesMax; tries += 1) {
    const amountIn = amountOf(wanted, balance)
    if (amountIn === 0n) throw shortOf(asset, 1n, 0n)
    const quotes = await bestQuotes(chain, { side, token, amountIn })
    const fitted = await firstCarried(wish, quotes, random, ask)
    const seen = balanceOf(fitted.outcome)
    if (wanted.kind === 'units' || amountOf(wanted, seen) === amountIn) return fitted
    balance = seen
  }
  throw new Refusal('NETWORK_ERROR', {
    retryAfterSeconds: 1,
    message: 'The balance of this wallet keeps changing; nothing was traded.',
  })
}

/**
 * Asks for one quote after the other. A quote that its venue does not stand by bounds nothing. One whose price has moved, or whose venue could
 * not be asked now, stays the measure: another venue then has to give its minimum, or the wish is worth more later than now.
 */
async function firstCarried<Outcome extends { readonly ok: true }>(
  wish: SwapWish,
  quotes: readonly [Best, ...Best[]],
  random: Random,
  ask: (venue: Venue, order: SwapOrder) => Promise<Outcome | Refused>,
): Promise<Fitted<Outcome>> {
  const { walletAddress, priorityFee, slippage, asset } = wish
  let least = 0n
  let refused: Refused | undefined
  let failed: NodeFailure | undefined
  for (const { venue, quote } of quotes) {
    if (quote.amountOut < least) break
    const own = minimumOut(quote.amountOut, slippage)
    const minimum = own > least ? own : least
    const commitment = random.bytes(COMMITMENT_BYTES)
    const answer = await failureOr(
      ask(venue, {
        ...{ wallet: walletAddress, quote, minimumOut: minimum },
        ...(priorityFee === null ? {} : { priorityFee }),
        commitment,
      }),
    )
    if (answer instanceof NodeFailure) {
      failed ??= answer
      if (!(answer instanceof NotCarried)) least = minimum
      continue
    }
    if (answer.ok) return { outcome: answer, quote, minimumOut: minimum, commitment }
    // No other market makes a wallet richer.
    if (answer.refusal === 'insufficient_funds') {
      const available = await balanceNow(wish)
      throw swapRefusal(answer, { asset, amountIn: quote.amountIn, available })
    }
    refused ??= answer
    if (answer.refusal === 'price_moved') least = minimum
  }
  if (failed !== undefined || refused === undefined) {
    throw failed ?? new NodeFailure('no market could be asked')
  }
  const [{ quote }] = quotes
  throw swapRefusal(refused, { asset, amountIn: quote.amountIn, available: 0n })
}

async function failureOr<Outcome>(asked: Promise<Outcome>): Promise<Outcome | NodeFailure> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof NodeFailure) return error
    throw error
  }
}

/** What a wallet can spend of an asset, base units, as the chain says now. Throws NodeFailure. */
export async function balanceNow({
  chain,
  walletAddress,
  asset,
}: Pick<SwapWish, 'chain' | 'walletAddress' | 'asset'>): Promise<bigint> {
  const { amounts } = await chain.balances(walletAddress, [asset])
  return amounts[0] ?? 0n
}
