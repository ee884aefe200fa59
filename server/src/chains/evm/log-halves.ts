import { NodeFailure } from '../chain.ts'
import { NodeTimeout } from '../json-rpc/endpoint.ts'
import type { BlockRange } from './log-ranges.ts'

/** How often a part of the chain is halved whose logs no node gives at once: from 2,000 blocks down to some 60. */
const HALVINGS_MAX = 5

/**
 * The logs of a part of the chain, the oldest first. What a node does not give at once, since there are too many or the part is too long for it, is asked for by
 * halves. `head` is where a part without an end is halved. Throws NodeFailure.
 */
export async function logsInHalves<Found>(
  read: (range: BlockRange) => Promise<readonly Found[]>,
  range: BlockRange,
  head: bigint,
  halvings = HALVINGS_MAX,
): Promise<readonly Found[]> {
  const { from, to } = range
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
    for (const half of halves) found.push(...(await logsInHalves(read, half, head, halvings - 1)))
    return found
  }
}
