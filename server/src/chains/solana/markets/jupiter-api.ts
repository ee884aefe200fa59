import { NodeFailure } from '../../chain.ts'
import type { Address } from '../../chain.ts'
import type { Fields } from '../../json-rpc/answer.ts'
import { listFrom, malformed } from '../../json-rpc/answer.ts'
import { amountFrom, indexFrom, textFrom } from '../answer.ts'
import type { MarketService } from './market-service.ts'

/** What goes in and what comes out, in base units. */
export interface RouteOrder {
  readonly inputMint: Address
  readonly outputMint: Address
  readonly amountIn: bigint
}

export interface Route {
  readonly amountOut: bigint
  readonly priceImpactBasisPoints: bigint | null
  readonly slot: bigint
  /** Names of the markets that it goes through, as it says. */
  readonly through: string
  /** As it came: asked for back. */
  readonly whole: Fields
}

export type RouteOutcome =
  | { readonly ok: true; readonly route: Route }
  | { readonly ok: false; readonly refusal: 'no_market' | 'insufficient_liquidity' }

/** Jupiter's Swap API, version 1, as its documents show it. Everything throws NodeFailure for an answer that is none. */
export interface JupiterApi {
  route(order: RouteOrder, slippageBasisPoints: bigint): Promise<RouteOutcome>
  /** The transaction of a route as it came, of the old form, so that no account of it is hidden in a table. */
  swap(route: Route, taker: Address, priorityFee: bigint): Promise<Uint8Array>
}

/** So that the transaction fits a packet without lookup tables, and with a memo. */
const ACCOUNTS_MAX = 20
const TRANSACTION_CHARACTERS_MAX = 1_644
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const FRACTION = /^([0-9]{1,4})(?:\.([0-9]{1,40}))?$/
const LABELS_MAX = 8
const LABEL = /^[\w .()-]{1,40}$/
const U64_MAX = 2n ** 64n - 1n

export function openJupiterApi(service: MarketService): JupiterApi {
  return {
    route: async ({ inputMint, outputMint, amountIn }, slippageBasisPoints) => {
      const asked = new URLSearchParams({
        inputMint,
        outputMint,
        amount: `${amountIn}`,
        slippageBps: `${slippageBasisPoints}`,
        swapMode: 'ExactIn',
        asLegacyTransaction: 'true',
        maxAccounts: `${ACCOUNTS_MAX}`,
        restrictIntermediateTokens: 'true',
      })
      const { status, body } = await service.get(`/quote?${asked.toString()}`)
      if (status !== 200) return { ok: false, refusal: refusalIn(status, body) }
      const isOurs =
        body['inputMint'] === inputMint &&
        body['outputMint'] === outputMint &&
        body['inAmount'] === `${amountIn}` &&
        body['swapMode'] === 'ExactIn'
      if (!isOurs) throw new NodeFailure('the router answers another question')
      const amountOut = amountFrom(body['outAmount'], 'quoted amount')
      if (amountOut === 0n || amountOut > U64_MAX) throw malformed('quoted amount', '')
      return {
        ok: true,
        route: {
          amountOut,
          priceImpactBasisPoints: impactIn(body['priceImpactPct']),
          slot: BigInt(indexFrom(body['contextSlot'], 'slot')),
          through: labelsIn(body['routePlan']),
          whole: body,
        },
      }
    },
    swap: async ({ whole }, taker, priorityFee) => {
      const { status, body } = await service.post('/swap', {
        userPublicKey: taker,
        quoteResponse: whole,
        wrapAndUnwrapSol: true,
        useSharedAccounts: true,
        asLegacyTransaction: true,
        dynamicComputeUnitLimit: true,
        prioritizationFeeLamports: Number(priorityFee),
      })
      if (status !== 200) throw new NodeFailure(`the router builds nothing: HTTP ${status}`)
      const text = textFrom(body['swapTransaction'], 'transaction')
      if (text.length > TRANSACTION_CHARACTERS_MAX || !BASE64.test(text)) {
        throw malformed('transaction', text)
      }
      return new Uint8Array(Buffer.from(text, 'base64'))
    },
  }
}

/** Only a clear no is one. */
function refusalIn(status: number, { errorCode }: Fields): 'no_market' | 'insufficient_liquidity' {
  switch (errorCode) {
    case 'TOKEN_NOT_TRADABLE':
      return 'no_market'
    case 'NO_ROUTES_FOUND':
    case 'COULD_NOT_FIND_ANY_ROUTE':
      return 'insufficient_liquidity'
    default:
      throw new NodeFailure(`the router does not quote: HTTP ${status}`)
  }
}

/** A share in decimal text; what else there may stand is not known. */
function impactIn(value: unknown): bigint | null {
  const [, whole, fraction = ''] = (typeof value === 'string' && FRACTION.exec(value)) || []
  if (whole === undefined) return null
  return BigInt(whole + fraction.padEnd(4, '0').slice(0, 4))
}

function labelsIn(plan: unknown): string {
  const labels = listFrom(plan, 'route plan').flatMap((step) => {
    const info = propertyOf(step, 'swapInfo')
    const label = propertyOf(info, 'label')
    return typeof label === 'string' && LABEL.test(label) ? [label] : []
  })
  return labels.slice(0, LABELS_MAX).join(', ')
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
