import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import { NodeTimeout } from '../json-rpc/endpoint.ts'
import type { BlockRange } from './log-ranges.ts'

/** How often a part of the chain is halved whose logs no node gives at once: from 2,000 blocks down to some 60. */
const HALVINGS_MAX = 5

/** How many questions for logs one look has left. */
export interface LogQuestions {
  left: number
}

/**
 * Those of one look: as many as it has parts, and more of halves. Anybody brings a look about who shows a signature that is used, and a node that gives few blocks at once would be asked 1,200 times.
 */
export function logQuestions(): LogQuestions {
  return { left: limits.logQuestionsMax }
}

/**
 * The logs of a part of the chain, the oldest first. What a node does not give at once, since there are too many or the part is too long for it, is asked for by
 * halves. `head` is where a part without an end is halved. Throws NodeFailure, also where the look has no question left.
 */
export async function logsInHalves<Found>(
  read: (range: BlockRange) => Promise<readonly Found[]>,
  range: BlockRange,
  head: bigint,
  questions: LogQuestions,
  halvings = HALVINGS_MAX,
): Promise<readonly Found[]> {
  const { from, to } = range
  if (questions.left <= 0)
    throw new NodeFailure('the node gives the logs of too few blocks at once')
  questions.left -= 1
  try {
    return await read(range)
  } catch (error) {
    const last = to ?? head
    const mayHalve = error instanceof NodeFailure && !(error instanceof NodeTimeout)
    if (!mayHalve || halvings === 0 || last <= from) throw error
    const middle = from + (last - from) / 2n
    const halves = [
      { from, to: middle },
      { from: middle + 1n, to },
    ]
    const found: Found[] = []
    for (const half of halves)
      found.push(...(await logsInHalves(read, half, head, questions, halvings - 1)))
    return found
  }
}
