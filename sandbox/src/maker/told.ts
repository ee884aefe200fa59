import type { Json } from '../host/json.ts'
import { isJsonArray, isJsonObject } from '../host/json.ts'
import type { MakerAnswer } from './maker.ts'

/** What the sandbox process is told of the market in its Solana process. */
export interface SolanaMarket {
  /** The maker's address. */
  readonly maker: string
  readonly tokens: readonly {
    readonly mint: string
    readonly symbol: string
    readonly decimals: number
  }[]
}

export function solanaMarketOf(value: Json): SolanaMarket {
  const market = isJsonObject(value) ? value['market'] : undefined
  const { maker, tokens } = isJsonObject(market) ? market : {}
  if (typeof maker !== 'string' || !isJsonArray(tokens)) {
    throw new Error('the Solana process told nothing of its market')
  }
  return {
    maker,
    tokens: tokens.map((each) => {
      const { mint, symbol, decimals } = isJsonObject(each) ? each : {}
      if (typeof mint === 'string' && typeof symbol === 'string' && typeof decimals === 'number') {
        return { mint, symbol, decimals }
      }
      throw new Error('the Solana process told of a token that is none')
    }),
  }
}

export function makerAnswerOf(value: Json): MakerAnswer {
  const { status, body } = isJsonObject(value) ? value : {}
  if (typeof status === 'number' && isJsonObject(body)) return { status, body }
  throw new Error('the maker said nothing')
}
