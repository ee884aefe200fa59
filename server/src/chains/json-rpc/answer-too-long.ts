import { NodeFailure } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import type { NodeCall, NodeError } from './messages.ts'

/** The answer to what was asked is longer than any that is read: that of one call, where it is thrown for one. Another node answers as long. */
export class AnswerTooLong extends NodeFailure {}

const CODES: ReadonlySet<number> = new Set([-32_003, -32_008, -32_011])
const IN_WORDS =
  /^(?:the )?(?:batch )?response (?:(?:is |was )?too (?:large|big)|size limit exceeded)\b/i

/**
 * Whether a node says that it gives no answer of such a length: that of one call, or of all that were asked with it. Sources: geth, -32003 for whatever stands behind 25 MB in
 * a batch; jsonrpsee (reth), -32008 and -32011; rskj, -32011. The codes alone mean other things elsewhere, and the words alone any contract says that reverts.
 */
export function isTooLongToAnswer({ code, message }: NodeError): boolean {
  return CODES.has(code) && IN_WORDS.test(message)
}

/** Whose answers are as long as whoever fills a block or an account makes them: all of it, and one transaction. */
const WHOLE: ReadonlySet<string> = new Set([
  ...['eth_getBlockByHash', 'eth_getLogs', 'getBlock'],
  ...['getAccountInfo', 'getTokenAccountsByOwner'],
])
const OF_TRANSACTIONS: ReadonlySet<string> = new Set([
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'getTransaction',
])

function lengthOf({ method, params }: NodeCall): 0 | 1 | 2 {
  const [block, isWhole] = params
  const isLong = isWhole === true || String(block).startsWith('0x')
  if ((isLong && method === 'eth_getBlockByNumber') || WHOLE.has(method)) return 2
  return OF_TRANSACTIONS.has(method) ? 1 : 0
}

/**
 * Asks again in parts for what a node answers at too great length together: for the longest by themselves, then in halves. Whoever fills a block decides how long it is:
 * without this, what is read a few blocks at a time would not be read at all as long as these few are too long. All that nobody makes long stays in one request, since behind
 * one address another machine may answer each: a balance and a nonce that were asked for together are of one moment.
 */
export function inShorterAnswers(endpoint: Endpoint): Endpoint {
  const post: Endpoint['post'] = async (calls) => {
    const answers = await postOnce(calls)
    const isLong = calls.map((_, place) => answers[place] instanceof AnswerTooLong)
    if (calls.length < 2 || !isLong.includes(true)) return answers
    const merged = [...answers]
    for (const part of partsOf(calls, isLong)) {
      const again = await postPart(part.map(({ call }) => call))
      part.forEach(({ place }, index) => {
        merged[place] = again[index] ?? new NodeFailure('a call without an answer')
      })
    }
    return merged
  }
  const postOnce: Endpoint['post'] = async (calls) => {
    try {
      return await endpoint.post(calls)
    } catch (error) {
      if (!(error instanceof AnswerTooLong) || calls.length < 2) throw error
      return calls.map(() => error)
    }
  }
  /** A part that fails leaves the other one what it has. */
  const postPart: Endpoint['post'] = (calls) =>
    post(calls).catch((error: unknown) => {
      if (error instanceof NodeFailure) return calls.map(() => error)
      throw error
    })
  return { post }
}

interface Placed {
  readonly call: NodeCall
  readonly place: number
}

/** What is asked again, none of it as much as before. */
function partsOf(
  calls: readonly NodeCall[],
  isLong: readonly boolean[],
): readonly (readonly Placed[])[] {
  const placed = calls.map((call, place) => ({ call, place }))
  const most = Math.max(...calls.map(lengthOf))
  const longest = placed.filter(({ call }) => lengthOf(call) === most)
  const others = placed.filter(({ call }) => lengthOf(call) < most)
  // What stays together is asked for together again, also where some of it was answered.
  const left = longest.filter(({ place }) => isLong[place])
  if (others.length > 0) {
    const isAny = others.some(({ place }) => isLong[place])
    return [...(isAny ? [others] : []), ...(left.length > 0 ? [left] : [])]
  }
  if (most === 0) return []
  if (left.length < calls.length) return [left]
  const half = Math.ceil(left.length / 2)
  return [left.slice(0, half), left.slice(half)]
}
