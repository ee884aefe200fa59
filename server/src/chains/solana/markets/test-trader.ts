import type { Address, Draft, Outcome, TransactionHash } from '../../chain.ts'
import type { Quote, SwapOrder, TradeSide, TradedToken, Venue } from '../../venue.ts'
import { knownAddress } from '../account.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'

/** A trade that was mined. */
export interface TestTrade {
  readonly draft: Draft
  readonly hash: TransactionHash
  readonly mined: Extract<Outcome, { state: 'mined' }>
  /** As the venue reads it. */
  readonly received: bigint | null
}

/** Trades with the sandbox's maker, as the service does. */
export interface Trader {
  readonly venue: Venue
  readonly maker: Address
  token(symbol: string): TradedToken
  quoted(side: TradeSide, symbol: string, amountIn: bigint): Promise<Quote>
  /** An order that nobody gave before. */
  order(wallet: TestWallet, quote: Quote, change?: Partial<SwapOrder>): SwapOrder
  /** Drafts, signs, sends and waits. */
  trade(wallet: TestWallet, quote: Quote): Promise<TestTrade>
}

export function openTrader(world: TestChain): Trader {
  const [venue] = world.chain.venues ?? []
  if (venue === undefined) throw new Error('the sandbox has a market')
  const { maker, tokens } = world.sandbox.solana
  let serial = 0
  const trader: Trader = {
    venue,
    maker: knownAddress(maker.address),
    token: (symbol) => {
      const found = tokens.find((each) => each.symbol === symbol)
      if (found === undefined) throw new Error(`the sandbox does not trade ${symbol}`)
      return { ...found, mint: knownAddress(found.mint) }
    },
    quoted: async (side, symbol, amountIn) => {
      const outcome = await venue.quote({ side, token: trader.token(symbol), amountIn })
      if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
      return outcome.quote
    },
    order: ({ address: wallet }, quote, change = {}) => {
      serial += 1
      const commitment = new Uint8Array(32)
      new DataView(commitment.buffer).setUint32(0, serial)
      return { wallet, quote, minimumOut: quote.amountOut, commitment, ...change }
    },
    trade: async (wallet, quote) => {
      const { chain } = world
      const outcome = await venue.draft(trader.order(wallet, quote))
      if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
      const { raw, hash } = await chain.sign(outcome.draft.terms, 0n, wallet.signer)
      await chain.broadcast([raw])
      const mined = await world.mined(hash)
      if (!mined.succeeded) throw new Error('the trade failed')
      const { transfers, senderChanges } = mined
      const swap = { wallet: wallet.address, quote, transfers, senderChanges }
      return { draft: outcome.draft, hash, mined, received: venue.received(swap) }
    },
  }
  return trader
}
