import { randomUUID } from 'node:crypto'
import { isAddress } from '@solana/kit'
import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'
import { SOLANA_NETWORK } from '../solana/chain-facts.ts'
import type { SolanaChain } from '../solana/chain/chain.ts'
import { readWire } from '../solana/chain/wire-transaction.ts'
import { openBook } from './book.ts'
import type { Wish } from './book.ts'
import { keyOf } from './keys.ts'
import { listTokens } from './list-tokens.ts'
import { readAmount, readChoice } from './read-choice.ts'
import { signSwap } from './swap.ts'
import type { MakerToken } from './token.ts'

/** What the maker says to a request: an HTTP status and a body. */
export interface MakerAnswer {
  readonly status: number
  readonly body: JsonObject
}

/** Trades the sandbox's tokens for SOL, at sandbox prices, by transactions that it signs first. */
export interface Maker {
  readonly address: string
  readonly tokens: readonly MakerToken[]
  /** `{ask: 'about' | 'quote' | 'sign', body}`. */
  answer(request: Json): Promise<MakerAnswer>
}

export async function openMaker(chain: SolanaChain): Promise<Maker> {
  const key = await keyOf(chain.identity, 'maker')
  const tokens = await listTokens(chain, key)
  const book = openBook(chain, key.address)
  const { bank } = chain

  const about = (): MakerAnswer => ({
    status: 200,
    body: {
      prices: 'sandbox',
      network: SOLANA_NETWORK,
      maker: key.address,
      tokens: tokens.map(({ mint, symbol, decimals }) => ({ mint, symbol, decimals })),
    },
  })

  const quote = (body: JsonObject): MakerAnswer => {
    const { side, mint, taker = null } = body
    const amountIn = readAmount(body['amountIn'])
    if ((side !== 'buy' && side !== 'sell') || amountIn === undefined || amountIn === 0n) {
      return refusal(400, 'INVALID_PARAMETERS', 'side is buy or sell, amountIn decimal base units')
    }
    if (taker !== null && (typeof taker !== 'string' || !isAddress(taker))) {
      return refusal(400, 'INVALID_PARAMETERS', 'taker is 32 bytes in base58')
    }
    const token = tokens.find((each) => each.mint === mint)
    if (token === undefined) return refusal(404, 'NO_MARKET', 'the maker does not trade this mint')
    const wish: Wish = { side, token, amountIn }
    const priced = book.price(wish)
    if (!priced.ok) return refusal(422, 'INSUFFICIENT_LIQUIDITY', 'not for that much')
    const { amountOut, priceImpactBasisPoints } = priced
    const told = {
      prices: 'sandbox',
      maker: key.address,
      side,
      mint: token.mint,
      amountIn: `${amountIn}`,
      amountOut: `${amountOut}`,
      priceImpactBasisPoints: Number(priceImpactBasisPoints),
      slot: chain.slotOf('confirmed'),
    }
    // A price for nobody in particular promises nothing, so nothing is kept for it.
    if (taker === null) return { status: 200, body: { ...told, quoteId: null } }
    const blockhash = bank.open().previousHash
    const lastValidHeight = bank.lastValidHeight(blockhash) ?? 0
    const id = randomUUID()
    const isKept = book.keep({
      ...wish,
      id,
      taker,
      amountOut,
      blockhash,
      lastValidHeight,
      messageHash: null,
    })
    if (!isKept) return refusal(503, 'BUSY', 'too many quotes are open')
    const held = { quoteId: id, blockhash, lastValidBlockHeight: lastValidHeight }
    return { status: 200, body: { ...told, ...held } }
  }

  const sign = async (body: JsonObject): Promise<MakerAnswer> => {
    const { quoteId, taker } = body
    const choice = readChoice(body)
    if (typeof quoteId !== 'string' || choice === undefined) {
      const wanted = 'quoteId, taker, memo, computeUnits and pricePerUnit'
      return refusal(400, 'INVALID_PARAMETERS', wanted)
    }
    const kept = book.quote(quoteId)
    if (kept === undefined || kept.taker !== taker) {
      return refusal(404, 'NO_QUOTE', 'there is no such quote of this taker')
    }
    if (kept.lastValidHeight < bank.open().height) return refusal(410, 'QUOTE_EXPIRED', 'too late')
    if (kept.messageHash !== null) return refusal(409, 'QUOTE_USED', 'one signature per quote')
    // Taken at once: a second request must not get a second signature while this one is made.
    kept.messageHash = ''
    const raw = await signSwap(kept, key, choice)
    const wire = readWire(raw)
    if (wire === undefined) throw new Error('the maker built no transaction')
    kept.messageHash = wire.messageHash
    return {
      status: 200,
      body: {
        quoteId,
        transaction: Buffer.from(raw).toString('base64'),
        lastValidBlockHeight: kept.lastValidHeight,
      },
    }
  }

  return {
    address: key.address,
    tokens,
    async answer(request) {
      const { ask, body = null } = isJsonObject(request) ? request : {}
      if (ask === 'about') return about()
      if (!isJsonObject(body)) return refusal(400, 'INVALID_PARAMETERS', 'the body is no object')
      return ask === 'sign' ? await sign(body) : quote(body)
    },
  }
}

function refusal(status: number, code: string, message: string): MakerAnswer {
  return { status, body: { success: false, error: { code, message } } }
}
