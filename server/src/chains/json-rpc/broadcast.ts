import { NodeFailure } from '../chain.ts'
import type { TransactionHash, Verdict } from '../chain.ts'
import type { NodeAnswer, NodeCall, NodeError } from './messages.ts'
import type { Transport } from './transport.ts'

/** One transaction on its way out: how to say it to a node, and the id that the node must answer. */
export interface Sending {
  readonly call: NodeCall
  readonly hash: TransactionHash
}

/** How a family's nodes answer a broadcast. */
export interface BroadcastAnswers {
  /** Reads the id that a node answers; throws NodeFailure when it is none. */
  readonly hashFrom: (result: unknown) => TransactionHash
  readonly verdictOf: (error: NodeError) => Verdict
}

/**
 * Hands transactions to every node once, and says for each what came of it. Does not wait for a node that hangs once another has
 * all of them: what a slow one says after that changes nothing.
 */
export async function broadcastToAll(
  transport: Transport,
  sendings: readonly Sending[],
  answers: BroadcastAnswers,
): Promise<readonly Verdict[]> {
  if (sendings.length === 0) return []
  const told = transport.tellEach(sendings.map(({ call }) => call))
  const verdicts: Verdict[][] = sendings.map(() => [])
  const joint = () => verdicts.map(jointVerdict)
  const enough = Promise.withResolvers<undefined>()
  const heard = told.map(async (node) => {
    const said = await node
    sendings.forEach(({ hash }, index) => {
      verdicts[index]?.push(verdictFrom(said[index], hash, answers))
    })
    if (joint().every(({ kind }) => kind === 'accepted' || kind === 'known')) {
      enough.resolve(undefined)
    }
  })
  await Promise.race([enough.promise, Promise.all(heard)])
  return joint()
}

/** From the most to the least telling; a node that may have the bytes outweighs one that certainly has not. */
const WEIGHT = [
  'accepted',
  'known',
  'nonce_too_low',
  'replacement_underpriced',
  'unknown',
  'nonce_too_high',
  'rejected',
] as const satisfies readonly Verdict['kind'][]

/** One verdict out of each node's: rejected only when every node rejected. */
export function jointVerdict(verdicts: readonly Verdict[]): Verdict {
  for (const kind of WEIGHT) {
    const found = verdicts.find((verdict) => verdict.kind === kind)
    if (found !== undefined) return found
  }
  return { kind: 'unknown', reason: 'no node was asked' }
}

function verdictFrom(
  answer: NodeAnswer | NodeFailure | undefined,
  hash: TransactionHash,
  { hashFrom, verdictOf }: BroadcastAnswers,
): Verdict {
  if (answer === undefined) return { kind: 'unknown', reason: 'no answer' }
  if (answer instanceof NodeFailure) return { kind: 'unknown', reason: answer.message }
  if (!answer.ok) return verdictOf(answer.error)
  try {
    if (hashFrom(answer.result) === hash) return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
  }
  return { kind: 'unknown', reason: 'the node answered another hash' }
}
