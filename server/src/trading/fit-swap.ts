import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
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
import { bestQuote } from './best-quote.ts'
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
 * The best quote for a wish, and what its venue says to it. A part of a balance is one of the balance that the venue's own answer was made
 * of: where that has changed meanwhile, all of it is asked again. Refuses as `bestQuote` does, and what the venue refuses.
 */
export async function fitSwap<Outcome extends { readonly ok: true }>(
  wish: SwapWish,
  random: Random,
  ask: (venue: Venue, order: SwapOrder) => Promise<Outcome | Refused>,
  balanceOf: (outcome: Outcome) => bigint,
): Promise<Fitted<Outcome>> {
  const { chain, walletAddress, wanted, asset, side, token, slippage, priorityFee } = wish
  let balance = wanted.kind === 'share' ? await balanceNow(wish) : 0n
  for (let tries = 0; tries < limits.tradeSharesMax; tries += 1) {
    const amountIn = amountOf(wanted, balance)
    if (amountIn === 0n) throw shortOf(asset, 1n, 0n)
    const { venue, quote } = await bestQuote(chain, { side, token, amountIn })
    const minimum = minimumOut(quote.amountOut, slippage)
    const commitment = random.bytes(COMMITMENT_BYTES)
    const outcome = await ask(venue, {
      ...{ wallet: walletAddress, quote, minimumOut: minimum },
      ...(priorityFee === null ? {} : { priorityFee }),
      commitment,
    })
    if (!outcome.ok) {
      const isShort = outcome.refusal === 'insufficient_funds'
      const available = isShort ? await balanceNow(wish) : 0n
      throw swapRefusal(outcome.refusal, { asset, amountIn, available })
    }
    const seen = balanceOf(outcome)
    if (wanted.kind === 'units' || amountOf(wanted, seen) === amountIn) {
      return { outcome, quote, minimumOut: minimum, commitment }
    }
    balance = seen
  }
  throw new Refusal('NETWORK_ERROR', {
    retryAfterSeconds: 1,
    message: 'The balance of this wallet keeps changing; nothing was traded.',
  })
}

async function balanceNow({ chain, walletAddress, asset }: SwapWish): Promise<bigint> {
  const { amounts } = await chain.balances(walletAddress, [asset])
  return amounts[0] ?? 0n
}
