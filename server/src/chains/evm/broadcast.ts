import { NodeFailure } from '../chain.ts'
import type { TransactionHash, Verdict } from '../chain.ts'
import { transactionHashFrom } from './answer.ts'
import type { NodeAnswer } from './json-rpc.ts'
import { verdictOf } from './failures.ts'
import { hexBytes } from './hex.ts'
import { hashOf } from './sign.ts'
import type { Transport } from './transport.ts'

/** Hands bytes to every node once, and says for each what came of it. */
export async function broadcastTo(
  transport: Transport,
  raws: readonly Uint8Array[],
): Promise<readonly Verdict[]> {
  if (raws.length === 0) return []
  const calls = raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [hexBytes(raw)] }))
  const nodes = await transport.tellAll(calls)
  return raws.map((raw, index) => {
    const hash = hashOf(raw)
    return jointVerdict(nodes.map((answers) => verdictFrom(answers[index], hash)))
  })
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

function verdictFrom(answer: NodeAnswer | NodeFailure | undefined, hash: TransactionHash): Verdict {
  if (answer === undefined) return { kind: 'unknown', reason: 'no answer' }
  if (answer instanceof NodeFailure) return { kind: 'unknown', reason: answer.message }
  if (!answer.ok) return verdictOf(answer.error)
  try {
    const named = transactionHashFrom(answer.result, 'transaction hash')
    if (named === hash) return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
  }
  return { kind: 'unknown', reason: 'the node answered another hash' }
}
