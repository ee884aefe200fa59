import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Draft, Terms, TokenTransfer, TransactionHash } from '../chains/chain.ts'
import type { Quote, QuoteOutcome, SwapDraftOutcome, Venue, VenueName } from '../chains/venue.ts'

export const POOL = '0x00000000000000000000000000000000000000f1' as Address
export const ROUTER = '0x00000000000000000000000000000000000000f2' as Address

/** What a scripted venue says next. */
export interface VenueScript {
  /** What comes out for one unit that goes in; null: it does not trade the token. */
  rate: bigint | null
  quote?: () => Promise<QuoteOutcome>
  refusal?: Extract<SwapDraftOutcome, { ok: false }>['refusal']
  /** Thrown instead of a draft. */
  failure?: Error
  /** What is thrown of one of several quotes. */
  failureOf?: (quote: Quote) => Error | undefined
  needsAllowance?: boolean
  /** What the next draft says of the wallet. */
  balances: () => Draft['balances']
}

const SWAP_CEILING = 100n
const ALLOWANCE_CEILING = 40n
const terms = (what: string) =>
  JSON.parse(JSON.stringify({ to: ROUTER, value: '0', data: what })) as Terms

/** A venue of which a test says what it quotes and drafts; what it gives is read from the transfers to the wallet. */
export function scriptedVenue(script: VenueScript, name: VenueName = 'uniswap-v2'): Venue {
  return {
    name,
    quote: async (order) => {
      if (script.quote !== undefined) return script.quote()
      if (script.rate === null) return { ok: false, refusal: 'no_market' }
      return {
        ok: true,
        quote: {
          ...order,
          venue: name,
          amountOut: order.amountIn * script.rate,
          priceImpactBasisPoints: 3n,
          height: 1n,
          expiresAtMilliseconds: null,
          route: { pool: POOL },
        },
      }
    },
    draft: async ({ quote, minimumOut, commitment }) => {
      const failure = script.failure ?? script.failureOf?.(quote)
      if (failure !== undefined) throw failure
      if (script.refusal === 'allowance_left')
        return { ok: false, refusal: script.refusal, left: 7n }
      if (script.refusal !== undefined) return { ok: false, refusal: script.refusal }
      const what = createHash('sha256').update(commitment).digest('hex')
      return {
        ok: true,
        counterparty: quote.side === 'buy' ? ROUTER : POOL,
        allowance:
          script.needsAllowance === true
            ? { terms: terms(`allow ${what}`), feeCeiling: baseUnits(ALLOWANCE_CEILING) }
            : null,
        draft: {
          terms: terms(`swap ${quote.amountIn} for ${minimumOut} ${what}`),
          feeCeiling: baseUnits(SWAP_CEILING),
          carriesCommitment: true,
          balances: script.balances(),
          laneLatest: 0n,
        },
      }
    },
    prepare: async () => {
      throw new Error('the script says nothing of prepare')
    },
    taken: ({ wallet, transfers }) => {
      const went = transfers.filter(({ from, to }) => from === wallet && to === POOL)
      return went.length === 0 ? null : went.reduce((sum, { amount }) => sum + amount, 0n)
    },
    received: ({ wallet, transfers }) => {
      const came = transfers.filter(({ to }) => to === wallet)
      return came.length === 0 ? null : came.reduce((sum, { amount }) => sum + amount, 0n)
    },
  }
}

/** Bytes and a hash that tell nonce and terms apart. */
export function signed(written: Terms, nonce: bigint) {
  const text = JSON.stringify({ nonce: nonce.toString(), written })
  const hash = `0x${createHash('sha256').update(text).digest('hex')}` as TransactionHash
  return { raw: Buffer.from(text), hash }
}

/** The transfer of one token, as a mined transaction shows it. */
export function moved(
  asset: string,
  from: string,
  to: string,
  amount: bigint,
  logIndex = 0,
): TokenTransfer {
  return { asset, from: from as Address, to: to as Address, amount, logIndex }
}
