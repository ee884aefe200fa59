import { NodeFailure } from '../chain.ts'
import type { Doomed } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import type { NodeAnswers } from '../json-rpc/transport.ts'
import { blockhashLiveRead } from './blocks.ts'
import { orUndefined } from './or-undefined.ts'
import { readWireTransaction } from './wire-transaction.ts'

/** In this order: the newer block is asked about last, so that it is not the older one. */
const COMMITMENTS = ['finalized', 'confirmed'] as const

/**
 * For each transaction, signed or not, the slot from which on no block takes it; undefined where a node says that its blockhash is still
 * taken, does not say, or is behind. A node that `hasNoSay`, once it was asked, is passed over, as long as another one is left. Two questions to each
 * node for each blockhash. Never throws for a node.
 *
 * A node answers `false` for a blockhash that is too old and for one that it does not know. Of a final block `false` holds for good, since every
 * block that is still to come stands on it; what that block is too young to know, the confirmed one does, on which bytes are made. Source:
 * Agave, `Bank::is_hash_valid_for_age` with `MAX_PROCESSING_AGE`, of the bank at the asked commitment.
 */
export async function deadFrom(
  transport: Transport,
  asked: readonly Doomed[],
  hasNoSay: (node: number) => boolean,
): Promise<readonly (bigint | undefined)[]> {
  const blockhashes = asked.map(({ raw }) => readWireTransaction(raw)?.blockhash)
  const each = [...new Set(blockhashes.filter((blockhash) => blockhash !== undefined))]
  if (each.length === 0) return asked.map(() => undefined)
  const reads = each.map((blockhash) => COMMITMENTS.map((at) => blockhashLiveRead(blockhash, at)))
  const calls = reads.flat().map(({ method, params }) => ({ method, params }))
  const told = await transport.tellAll(calls)
  const nodes = told.filter((_, node) => !hasNoSay(node))
  if (nodes.length === 0) return asked.map(() => undefined)
  return asked.map(({ sinceHeight }, index) => {
    const place = each.indexOf(blockhashes[index] ?? '')
    const slots = nodes.map((answers) => deadAt(answers, place, reads[place] ?? []))
    if (slots.some((slot) => slot === undefined || slot < sinceHeight)) return undefined
    return slots.reduce<bigint>(
      (most, slot) => (slot !== undefined && slot > most ? slot : most),
      0n,
    )
  })
}

/** The slot of the final block at which this node calls the blockhash unusable; undefined where it does not. */
function deadAt(
  answers: NodeAnswers,
  place: number,
  reads: readonly ReturnType<typeof blockhashLiveRead>[],
): bigint | undefined {
  const [final, confirmed] = reads.map(({ parse }, index) => {
    const answer = answers[place * COMMITMENTS.length + index]
    if (answer === undefined || answer instanceof NodeFailure || !answer.ok) return undefined
    return orUndefined(() => parse(answer.result))
  })
  if (final === undefined || confirmed === undefined) return undefined
  // Behind one URL another machine may answer each time.
  const isBehind = confirmed.slot < final.slot
  return final.isLive || confirmed.isLive || isBehind ? undefined : final.slot
}
