import type { Clock } from '../../kernel/clock.ts'
import { hasLeft } from '../../kernel/has-left.ts'
import { limits } from '../../kernel/limits.ts'
import { openTurns } from '../../kernel/turns.ts'
import { NodeFailure } from '../chain.ts'
import { BatchRefused } from './batch-refused.ts'
import { NodeTimeout } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { NodeAnswer, NodeCall } from './messages.ts'

type Answers = readonly (NodeAnswer | NodeFailure)[]

/**
 * Asks again in halves for what a node refuses to take at once, and from then on in parts as small, for an hour: then it may have another plan. A part that
 * fails leaves the others what they have; once the node hangs, no further one is asked.
 */
export function inSmallerBatches(
  endpoint: Endpoint,
  clock: Pick<Clock, 'nowMilliseconds'>,
  /** Told how many calls are asked at once from now on, where they became fewer. */
  onFewer: (calls: number) => void = () => undefined,
): Endpoint {
  const lastMilliseconds = limits.nodeBatchPartsSeconds * 1000
  const inTurn = openTurns(limits.nodeBatchPartsMax)
  let most = Number.POSITIVE_INFINITY
  let untilMilliseconds = 0

  const bound = (): number =>
    hasLeft(untilMilliseconds, clock.nowMilliseconds(), lastMilliseconds)
      ? most
      : Number.POSITIVE_INFINITY

  async function post(calls: readonly NodeCall[], isPart = false): Promise<Answers> {
    const size = bound()
    if (calls.length > size) return inParts(calls, size)
    try {
      return await (isPart ? inTurn(() => endpoint.post(calls)) : endpoint.post(calls))
    } catch (error) {
      if (!(error instanceof BatchRefused) || calls.length < 2) throw error
      const half = Math.ceil(calls.length / 2)
      // Others that were sent at the same moment may have heard of fewer by now.
      const isFewer = half < bound()
      if (isFewer) most = half
      untilMilliseconds = clock.nowMilliseconds() + lastMilliseconds
      if (isFewer) onFewer(half)
      return inParts(calls, Math.min(half, most))
    }
  }

  async function inParts(calls: readonly NodeCall[], size: number): Promise<Answers> {
    let late: NodeTimeout | undefined
    const part = async (some: readonly NodeCall[]): Promise<Answers> => {
      const failed = (error: NodeFailure) => some.map(() => error)
      if (late !== undefined) return failed(late)
      try {
        return await post(some, true)
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error
        if (error instanceof NodeTimeout) late = error
        return failed(error)
      }
    }
    // What it learns of the node the others need not.
    const first = await part(calls.slice(0, size))
    const next = Math.min(size, bound())
    const others: Promise<Answers>[] = []
    for (let from = size; from < calls.length; from += next) {
      others.push(part(calls.slice(from, from + next)))
    }
    const answers = [...first, ...(await Promise.all(others)).flat()]
    // Whoever waits behind a node that hangs is told so.
    if (late !== undefined && answers.every((each) => each === late)) throw late
    return answers
  }

  return { post: (calls) => post(calls) }
}
