import { NodeFailure } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import type { NodeAnswer, NodeCall } from './messages.ts'

/** The answer to what was asked is longer than any that is read: that of one call, where it is thrown for one. Another node answers as long. */
export class AnswerTooLong extends NodeFailure {}

/**
 * Asks again in halves for what a node answers at too great length together. Whoever fills a block decides how long it is: without this, what is read a few
 * blocks at a time would not be read at all as long as these few are too long.
 */
export function inShorterAnswers(endpoint: Endpoint): Endpoint {
  const post: Endpoint['post'] = async (calls) => {
    try {
      return await endpoint.post(calls)
    } catch (error) {
      if (!(error instanceof AnswerTooLong) || calls.length < 2) throw error
      const half = Math.ceil(calls.length / 2)
      return [...(await part(calls.slice(0, half))), ...(await part(calls.slice(half)))]
    }
  }
  /** A part that fails leaves the other one what it has. */
  const part = async (calls: readonly NodeCall[]): Promise<readonly (NodeAnswer | NodeFailure)[]> =>
    post(calls).catch((error: unknown) => {
      if (error instanceof NodeFailure) return calls.map(() => error)
      throw error
    })
  return { post }
}
