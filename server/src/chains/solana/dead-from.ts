import { NodeFailure } from '../chain.ts'
import type { Doomed } from '../chain.ts'
import type { NodeSay } from '../json-rpc/node-say.ts'
import type { Transport } from '../json-rpc/transport.ts'
import type { NodeAnswers } from '../json-rpc/transport.ts'
import { blockhashLiveRead } from './blocks.ts'
import { orUndefined } from './or-undefined.ts'
import { readWireTransaction } from './wire-transaction.ts'

/** In this order: the newer block is asked about last, so that it is not the older one. */
const COMMITMENTS = ['finalized', 'confirmed'] as const

/**
 * How many nodes with a say it takes against one that stands still and does not call a blockhash over where it stands. Between two, a chain that makes no blocks
 * and a node that makes some up look the same.
 */
const AGAINST_STANDING = 2

/**
 * For each transaction, signed or not, the slot from which on no block takes it; undefined where a node says that its blockhash is still
 * taken, does not say, or is behind. A node that is silent, once it was asked, is passed over, as long as another one is left; so is one that stands still
 * and calls the blockhash over itself. Where it does not, calling it good or saying nothing, two others have to. Two questions to each node for each blockhash. Never throws for a node.
 *
 * A node answers `false` for a blockhash that is too old and for one that it does not know. Of a final block `false` holds for good, since every
 * block that is still to come stands on it; what that block is too young to know, the confirmed one does, on which bytes are made. Source:
 * Agave, `Bank::is_hash_valid_for_age` with `MAX_PROCESSING_AGE`, of the bank at the asked commitment.
 */
export async function deadFrom(
  transport: Transport,
  asked: readonly Doomed[],
  { isSilent, standsAt }: NodeSay,
): Promise<readonly (bigint | undefined)[]> {
  const blockhashes = asked.map(({ raw }) => readWireTransaction(raw)?.blockhash)
  const each = [...new Set(blockhashes.filter((blockhash) => blockhash !== undefined))]
  if (each.length === 0) return asked.map(() => undefined)
  const reads = each.map((blockhash) => COMMITMENTS.map((at) => blockhashLiveRead(blockhash, at)))
  const calls = reads.flat().map(({ method, params }) => ({ method, params }))
  const told = await transport.tellAll(calls)
  return asked.map(({ sinceHeight }, index) => {
    const place = each.indexOf(blockhashes[index] ?? '')
    const words = told.flatMap((answers, node): readonly (Word & { stands: boolean })[] => {
      if (isSilent(node)) return []
      const word = wordAt(answers, place, reads[place] ?? [])
      const at = standsAt(node)
      return [{ ...word, stands: at !== undefined && word.slots.every((slot) => slot <= at) }]
    })
    const slots = words.filter(({ stands }) => !stands).map(({ deadAt }) => deadAt)
    if (slots.length === 0) return undefined
    if (slots.some((slot) => slot === undefined || slot < sinceHeight)) return undefined
    // Nor is what it did not say that it is over: its confirmed block may know what its final one is too young for.
    const isContradicted = words.some(({ stands, deadAt }) => stands && deadAt === undefined)
    if (isContradicted && slots.length < AGAINST_STANDING) return undefined
    return slots.reduce<bigint>(
      (most, slot) => (slot !== undefined && slot > most ? slot : most),
      0n,
    )
  })
}

/** What a node says of a blockhash. */
interface Word {
  /** The slot of the final block at which it calls it unusable; undefined where it does not. */
  readonly deadAt: bigint | undefined
  /** Of which blocks it speaks. */
  readonly slots: readonly bigint[]
}

function wordAt(
  answers: NodeAnswers,
  place: number,
  reads: readonly ReturnType<typeof blockhashLiveRead>[],
): Word {
  const [final, confirmed] = reads.map(({ parse }, index) => {
    const answer = answers[place * COMMITMENTS.length + index]
    if (answer === undefined || answer instanceof NodeFailure || !answer.ok) return undefined
    return orUndefined(() => parse(answer.result))
  })
  const said = [final, confirmed].filter((each) => each !== undefined)
  const slots = said.map(({ slot }) => slot)
  if (final === undefined || confirmed === undefined) return { deadAt: undefined, slots }
  const isLive = final.isLive || confirmed.isLive
  // Behind one URL another machine may answer each time.
  const isBehind = confirmed.slot < final.slot
  return { deadAt: isLive || isBehind ? undefined : final.slot, slots }
}
