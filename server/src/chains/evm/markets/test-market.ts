import { expect } from 'vitest'
import { until } from '../../../kernel/until.ts'
import type { Address, Outcome, TransactionHash } from '../../chain.ts'
import type {
  Quote,
  SwapDraftOutcome,
  SwapOrder,
  TradeSide,
  TradedToken,
  Venue,
  VenueName,
} from '../../venue.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'

export type Mined = Extract<Outcome, { state: 'mined' }>
export type SwapDraft = Extract<SwapDraftOutcome, { ok: true }>

/** Hands to trade with on a test chain. */
export interface TestMarket {
  readonly venue: Venue
  quoted(side: TradeSide, amountIn: bigint, token?: TradedToken): Promise<Quote>
  /** An order with a tenth of room below the quote. */
  order(wallet: Address, quote: Quote, change?: Partial<SwapOrder>): SwapOrder
  drafted(order: SwapOrder): Promise<SwapDraft>
  /** Signs what was drafted, the allowance first, and waits until all of it is mined. */
  land(wallet: TestWallet, drafted: SwapDraft): Promise<readonly Mined[]>
  /** What the venue makes of a swap that landed. */
  received(wallet: TestWallet, quote: Quote, swap: Mined | undefined): bigint | null
  taken(wallet: TestWallet, quote: Quote, swap: Mined | undefined): bigint | null
  mined(hash: TransactionHash): Promise<Mined>
}

export function openTestMarket(
  { chain }: Pick<TestChain, 'chain'>,
  name: VenueName,
  token: TradedToken,
): TestMarket {
  const venue = chain.venues?.find((each) => each.name === name)
  if (venue === undefined) throw new Error(`no ${name} here`)
  const mined = (hash: TransactionHash): Promise<Mined> =>
    until(
      'it is mined',
      async () => {
        const [outcome] = await chain.outcomes([hash])
        return outcome?.state === 'mined' ? outcome : undefined
      },
      { seconds: 30 },
    )
  const seen = ({ address: wallet }: TestWallet, quote: Quote, swap: Mined | undefined) => ({
    ...{ wallet, quote, transfers: swap?.transfers ?? [], senderChanges: undefined },
  })
  return {
    venue,
    mined,
    taken: (...swap) => venue.taken(seen(...swap)),
    quoted: async (side, amountIn, traded = token) => {
      const outcome = await venue.quote({ side, token: traded, amountIn })
      if (!outcome.ok) throw new Error(`no quote: ${outcome.refusal}`)
      return outcome.quote
    },
    order: (wallet, quote, change = {}) => ({
      wallet,
      quote,
      minimumOut: (quote.amountOut * 90n) / 100n,
      commitment: new Uint8Array(32).fill(7),
      ...change,
    }),
    drafted: async (order) => {
      const outcome = await venue.draft(order)
      if (!outcome.ok) throw new Error(`no draft: ${outcome.refusal}`)
      return outcome
    },
    land: async (wallet, { draft, allowance }) => {
      const terms = [...(allowance === null ? [] : [allowance.terms]), draft.terms]
      const signed = await Promise.all(
        terms.map((each, index) =>
          chain.sign(each, draft.laneLatest + BigInt(index), wallet.signer),
        ),
      )
      const verdicts = await chain.broadcast(signed.map(({ raw }) => raw))
      for (const { kind } of verdicts) expect(['accepted', 'known']).toContain(kind)
      return await Promise.all(signed.map(({ hash }) => mined(hash)))
    },
    received: (...swap) => venue.received(seen(...swap)),
  }
}
