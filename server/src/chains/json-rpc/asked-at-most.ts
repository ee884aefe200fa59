import { NodeFailure } from '../chain.ts'

/**
 * Bounds how many wait for answers that they share: a question that many share counts once where questions are counted. Whoever comes when
 * so many wait gets a NodeFailure at once.
 */
export function askedAtMost(
  countMax: number,
): <Value>(ask: () => Promise<Value>) => Promise<Value> {
  let waiting = 0
  return async (ask) => {
    if (waiting >= countMax) throw new NodeFailure('too many wait for the node')
    waiting += 1
    try {
      return await ask()
    } finally {
      waiting -= 1
    }
  }
}
