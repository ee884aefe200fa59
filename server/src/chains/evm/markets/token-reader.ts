import { limits } from '../../../kernel/limits.ts'
import type { Address } from '../../chain.ts'
import { malformed } from '../../json-rpc/answer.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import type { TokenFacts, TokenHolding, TokenReader } from '../../token-reader.ts'
import { hexQuantity } from '../hex.ts'
import { balanceView, blockNumberView } from '../multicall.ts'
import type { Asked } from '../multicall.ts'
import { askApart, askApartAt, demandReached } from './ask-apart.ts'
import { tokenText } from './token-text.ts'
import { uintOf, wordsOf } from './words.ts'

const DECIMALS = '313ce567'
const TOTAL_SUPPLY = '18160ddd'
const SYMBOL = '95d89b41'
const NAME = '06fdde03'
/** What a token is must be known before the words about it, which may be anything. */
const QUESTIONS = [DECIMALS, TOTAL_SUPPLY, SYMBOL, NAME]
const DECIMALS_MAX = 255n
const perCallMax = limits.tokensPerReadMax

/** ERC-20. The chain keeps no list of holders and no day of birth, so those are not known. */
export function openTokenReader(transport: Transport): TokenReader {
  return {
    facts: async (mints, sinceHeight = 0n) => {
      const subjects = mints.map((target) => QUESTIONS.map((data) => ({ target, data })))
      const isProper = (answers: readonly (Uint8Array | undefined)[]): boolean =>
        answers.every((answer) => answer !== undefined)
      const found = await askApartAt(transport, subjects, { perCallMax, isProper })
      return mints.map((mint, index) => {
        const { answers = [], height } = found[index] ?? {}
        const facts = factsFrom(mint, answers)
        if (facts === undefined) demandReached(height, sinceHeight)
        return facts
      })
    },
    holders: async () => await Promise.resolve(null),
    holdings: async (address, known) => {
      const own: readonly Asked[] = [blockNumberView, balanceView(address, 'native')]
      const subjects = [
        own,
        ...known.map((target) => [{ target, data: DECIMALS }, balanceView(address, target)]),
      ]
      const isProper = (answers: readonly (Uint8Array | undefined)[]): boolean =>
        answers.every((answer) => wordsOf(answer, 1) !== undefined)
      const [first = [], ...tokens] = await askApart(transport, subjects, {
        perCallMax,
        isProper,
        againAt: ([first]) => {
          const height = wordIn(first?.[0])
          return height === undefined ? 'latest' : hexQuantity(height)
        },
      })
      const [height, native] = first.map(wordIn)
      if (height === undefined || native === undefined) throw malformed('balance', 'nothing')
      const found = known.map((mint, index) => holdingFrom(mint, tokens[index] ?? []))
      return {
        height,
        native,
        tokens: found.flatMap((each) => (each === undefined || each.amount === 0n ? [] : [each])),
        unread: known.filter((_, index) => found[index] === undefined),
      }
    },
  }
}

function factsFrom(
  mint: Address,
  [decimals, supply, symbol, name]: readonly (Uint8Array | undefined)[],
): TokenFacts | undefined {
  const digits = wordIn(decimals)
  const units = wordIn(supply)
  if (digits === undefined || digits > DECIMALS_MAX || units === undefined) return undefined
  return {
    mint,
    name: tokenText(name),
    symbol: tokenText(symbol),
    decimals: Number(digits),
    supply: units,
    creator: null,
    createdAtMilliseconds: null,
    imageUrl: null,
    mintAuthority: null,
    freezeAuthority: null,
    extensions: [],
  }
}

function holdingFrom(
  mint: Address,
  [decimals, balance]: readonly (Uint8Array | undefined)[],
): TokenHolding | undefined {
  const digits = wordIn(decimals)
  const amount = wordIn(balance)
  if (digits === undefined || digits > DECIMALS_MAX || amount === undefined) return undefined
  return { mint, decimals: Number(digits), amount }
}

function wordIn(answer: Uint8Array | undefined): bigint | undefined {
  const words = wordsOf(answer, 1)
  return words === undefined ? undefined : uintOf(words[0])
}
