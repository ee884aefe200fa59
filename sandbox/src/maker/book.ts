import type { SolanaChain } from '../solana/chain/chain.ts'
import { tokenOf } from '../solana/chain/token-account.ts'
import { priceOf, reservesAt } from './curve.ts'
import type { Price } from './curve.ts'
import type { MakerToken } from './token.ts'

/** What somebody wants to trade. Buy: lamports go in. Base units. */
export interface Wish {
  readonly side: 'buy' | 'sell'
  readonly token: MakerToken
  readonly amountIn: bigint
}

/** A price that holds for one taker until its blockhash is too old. */
export interface OpenQuote extends Wish {
  readonly id: string
  readonly taker: string
  readonly amountOut: bigint
  readonly blockhash: string
  /** The last block height at which its transaction can land. */
  readonly lastValidHeight: number
  /** Of the one message that was signed for it; null before. */
  messageHash: string | null
}

export type Priced = ({ readonly ok: true } & Price) | { readonly ok: false }

/** What the maker has and what of it is promised. Both are read from the chain each time, so nothing can drift apart. */
export interface Book {
  price(wish: Wish): Priced
  /** Keeps what the quote promises. False: too many are open. */
  keep(quote: OpenQuote): boolean
  quote(id: string): OpenQuote | undefined
}

/** Quotes that are open at the same time: some take their price and are never heard of again. */
const QUOTES_MAX = 2_000
/** Of what the maker has of one thing, it gives at most half at once. */
const SHARE_MAX = 2n
/** Stays with the maker, whatever is sold to it. */
const LAMPORTS_KEPT = 10n ** 9n

export function openBook(chain: SolanaChain, maker: string): Book {
  const { bank } = chain
  const quotes = new Map<string, OpenQuote>()

  const landedAt = ({ messageHash, blockhash }: OpenQuote): boolean =>
    messageHash !== null && bank.landedMessages().get(blockhash)?.has(messageHash) === true
  /** Past its last block a quote binds nobody; before it, one that landed could still be taken back with its block. */
  const tidy = (): void => {
    const { height } = bank.blockAt(chain.slotOf('finalized'))
    for (const [id, quote] of quotes) if (quote.lastValidHeight < height) quotes.delete(id)
  }
  const open = (): readonly OpenQuote[] => {
    const { height } = bank.open()
    return [...quotes.values()].filter(
      (quote) => quote.lastValidHeight >= height && !landedAt(quote),
    )
  }
  const sum = (list: readonly OpenQuote[], what: 'amountIn' | 'amountOut'): bigint =>
    list.reduce((total, quote) => total + quote[what], 0n)

  return {
    price({ side, token, amountIn }) {
      const promised = open().filter((quote) => quote.side === side)
      const same = promised.filter((quote) => quote.token.mint === token.mint)
      const held = tokenOf(bank.svm.read(token.account))?.amount ?? 0n
      const start = { lamports: token.lamports, tokens: token.supply }
      if (side === 'buy') {
        const { lamports, tokens } = reservesAt(held - sum(same, 'amountOut'), start, side)
        const price = priceOf(amountIn, lamports, tokens)
        return price.amountOut > tokens / SHARE_MAX || price.amountOut === 0n
          ? { ok: false }
          : { ok: true, ...price }
      }
      const { lamports, tokens } = reservesAt(held + sum(same, 'amountIn'), start, side)
      const price = priceOf(amountIn, tokens, lamports)
      const own = (bank.svm.read(maker)?.lamports ?? 0n) - LAMPORTS_KEPT
      const left = own - sum(promised, 'amountOut')
      return price.amountOut > lamports / SHARE_MAX ||
        price.amountOut > left ||
        price.amountOut === 0n
        ? { ok: false }
        : { ok: true, ...price }
    },
    keep(quote) {
      tidy()
      if (quotes.size >= QUOTES_MAX) return false
      quotes.set(quote.id, quote)
      return true
    },
    quote: (id) => quotes.get(id),
  }
}
