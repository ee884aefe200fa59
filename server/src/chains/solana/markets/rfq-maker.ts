import { NodeFailure } from '../../chain.ts'
import type { Address } from '../../chain.ts'
import { isObject, malformed } from '../../json-rpc/answer.ts'
import { amountFrom, indexFrom, textFrom } from '../answer.ts'
import type { MarketService, ServiceAnswer } from './market-service.ts'
import type { QuoteOrder } from '../../venue.ts'

/** What a maker would give; `quoteId` when it is held for one taker. */
export interface MakerQuote {
  readonly quoteId: string | null
  readonly amountOut: bigint
  readonly priceImpactBasisPoints: bigint | null
}

export type MakerWord =
  | { readonly ok: true; readonly quote: MakerQuote }
  | { readonly ok: false; readonly refusal: 'no_market' | 'insufficient_liquidity' }

/** What a transaction shall have that only its taker decides. */
export interface SwapChoice {
  readonly memo: string
  readonly computeUnits: bigint
  /** Millionths of a lamport. */
  readonly pricePerUnit: bigint
}

/** Somebody who trades by signing first. Everything throws NodeFailure for an answer that is none. */
export interface Maker {
  readonly address: Address
  /** Without a taker a price for nobody in particular; with one it is held until its blockhash is too old. */
  quote(order: QuoteOrder, taker?: Address): Promise<MakerWord>
  /** The transaction of a held quote, signed by the maker alone, as it came. */
  sign(quoteId: string, taker: Address, choice: SwapChoice): Promise<Uint8Array>
}

const QUOTE_ID_CHARACTERS_MAX = 128
const TRANSACTION_CHARACTERS_MAX = 1_644
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const U64_MAX = 2n ** 64n - 1n
const BASIS_POINTS = 10_000n

export function openMaker(address: Address, service: MarketService): Maker {
  return {
    address,
    quote: async ({ side, token, amountIn }, taker) => {
      const asked = { side, mint: token.mint, amountIn: `${amountIn}` }
      const body = { ...asked, ...(taker === undefined ? {} : { taker }) }
      const answer = await service.post('/quote', body)
      if (answer.status !== 200) return { ok: false, refusal: refusalIn(answer) }
      const said = answer.body
      const isOurs =
        said['side'] === side &&
        said['mint'] === token.mint &&
        said['amountIn'] === asked.amountIn &&
        said['maker'] === address
      if (!isOurs) throw new NodeFailure('the maker answers another question')
      const quoteId = taker === undefined ? null : textFrom(said['quoteId'], 'quote id')
      if (quoteId !== null && (quoteId === '' || quoteId.length > QUOTE_ID_CHARACTERS_MAX)) {
        throw malformed('quote id', quoteId)
      }
      const amountOut = amountFrom(said['amountOut'], 'quoted amount')
      if (amountOut === 0n || amountOut > U64_MAX) throw malformed('quoted amount', '')
      return {
        ok: true,
        quote: { quoteId, amountOut, priceImpactBasisPoints: impactIn(said) },
      }
    },
    sign: async (quoteId, taker, { memo, computeUnits, pricePerUnit }) => {
      const choice = { memo, computeUnits: Number(computeUnits), pricePerUnit: `${pricePerUnit}` }
      const { status, body } = await service.post('/sign', { quoteId, taker, ...choice })
      if (status !== 200) throw new NodeFailure(`the maker does not sign: HTTP ${status}`)
      const text = textFrom(body['transaction'], 'transaction')
      if (text.length > TRANSACTION_CHARACTERS_MAX || !BASE64.test(text)) {
        throw malformed('transaction', text)
      }
      return new Uint8Array(Buffer.from(text, 'base64'))
    },
  }
}

/** Only a clear no is one. */
function refusalIn({ status, body }: ServiceAnswer): 'no_market' | 'insufficient_liquidity' {
  const code = isObject(body['error']) ? body['error']['code'] : undefined
  if (code === 'NO_MARKET') return 'no_market'
  if (code === 'INSUFFICIENT_LIQUIDITY') return 'insufficient_liquidity'
  throw new NodeFailure(`the maker does not quote: HTTP ${status}`)
}

function impactIn(said: ServiceAnswer['body']): bigint | null {
  const value = said['priceImpactBasisPoints'] ?? null
  if (value === null) return null
  const points = BigInt(indexFrom(value, 'price impact'))
  return points <= BASIS_POINTS ? points : null
}
