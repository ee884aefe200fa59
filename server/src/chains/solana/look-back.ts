import { NodeFailure } from '../chain.ts'
import type { FinalReach, HistoryLook, TransactionHash } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { NodeAnswer } from '../json-rpc/messages.ts'
import type { NodeSay } from '../json-rpc/node-say.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { contextFrom, heightFrom } from './answer.ts'
import { orUndefined } from './or-undefined.ts'

const FINAL_EPOCH = { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] }
const HISTORY = { searchTransactionHistory: true }
/**
 * Asked after the look: what a node forgets in between it is not believed about. Where it has an archive behind it, both look there, too. Not where its
 * history begins: a node that was set up from a snapshot says 0, and one that was away has a hole (Agave, `Blockstore::get_first_available_block`).
 */
const finalBlocks = (from: bigint, count: number) => ({
  method: 'getBlocksWithLimit',
  params: [Number(from), count, { commitment: 'finalized' }],
})
/** Who alone is asked for its word. */
type Say = Pick<NodeSay, 'standsAt'>
/** What a node takes in one call. */
const SIGNATURES_MAX = 256

type Answers = readonly (NodeAnswer | NodeFailure)[]

/**
 * Asks every node for its final block height, and then for each signature in its whole history. The height is asked again in
 * the request of the look: behind one URL another machine may answer, and one that is behind the height just named
 * contributes no look. Nor does a node that fails at anything, and one that stands still contributes what it found only: that it has nothing says
 * nothing of what came since. `among`: final blocks in a row, whose history is asked for in the same request. Throws NodeFailure when no node is left.
 */
export async function lookBack(
  transport: Transport,
  nodeNames: readonly string[],
  hashes: readonly TransactionHash[],
  { say, among = [] }: { readonly say: Say; readonly among?: readonly bigint[] | undefined },
): Promise<readonly (readonly HistoryLook[])[]> {
  if (hashes.length === 0) return []
  const reaches = (await transport.tellAll([FINAL_EPOCH])).map(([answer]) => reachFrom(answer))
  const founds: boolean[][] = reaches.map(() => [])
  const [first] = among
  const blocks = first === undefined ? [] : [finalBlocks(first, among.length)]
  const covered = reaches.map(() => true)
  for (let from = 0; from < hashes.length; from += SIGNATURES_MAX) {
    const asked = hashes.slice(from, from + SIGNATURES_MAX)
    const statuses = { method: 'getSignatureStatuses', params: [asked, HISTORY] }
    const nodes = await transport.tellAll([FINAL_EPOCH, statuses, ...blocks])
    nodes.forEach((answers, node) => {
      covered[node] &&= hasBlocks(answers[2], among)
      founds[node]?.push(...(foundFrom(answers, reaches[node], asked.length) ?? []))
    })
  }
  const looks = hashes.map((_, index) =>
    nodeNames.flatMap((node, place) => {
      const [reach, seen] = [reaches[place], founds[place]]
      // A node that failed at one part of the list is not believed about the rest.
      if (reach === undefined || seen?.length !== hashes.length) return []
      const { lifetime: finalizedHeight, height } = reach
      const found = seen[index] === true
      if (!found && stands(reach, place, say)) return []
      const covers = first === undefined ? {} : { covers: covered[place] === true }
      return [{ node, finalizedHeight, height, found, ...covers }]
    }),
  )
  if (looks.every((each) => each.length === 0)) {
    throw new NodeFailure('no node tells what its history holds')
  }
  return looks
}

/**
 * How far each node that answers, and does not stand still, calls the chain final now: block height and slot of one moment. Throws NodeFailure when
 * none does.
 */
export async function finalHeights(transport: Transport, say: Say): Promise<readonly FinalReach[]> {
  const heights = (await transport.tellAll([FINAL_EPOCH])).flatMap(([answer], node) => {
    const reach = reachFrom(answer)
    return reach === undefined || stands(reach, node, say) ? [] : [reach]
  })
  if (heights.length === 0) throw new NodeFailure('no node tells its final height')
  return heights
}

/** Whether a node that stands still is where it stood. */
function stands({ height }: FinalReach, node: number, { standsAt }: Say): boolean {
  const at = standsAt(node)
  return at !== undefined && height <= at
}

function reachFrom(answer: NodeAnswer | NodeFailure | undefined): FinalReach | undefined {
  if (answer === undefined || answer instanceof NodeFailure || !answer.ok) return undefined
  const { result } = answer
  return orUndefined(() => {
    const fields = fieldsFrom(result, 'epoch info')
    const lifetime = heightFrom(fields['blockHeight'], 'block height')
    const height = heightFrom(fields['absoluteSlot'], 'slot')
    // No slot holds two blocks. A block height that is too high would be proof that bytes expired.
    if (lifetime > height) throw malformed('block height', `${lifetime}`)
    return { lifetime, height }
  })
}

/** Whether a node's final blocks are these, from the first on: one that has no history of them, or is not so far, tells others or fewer. */
function hasBlocks(
  answer: NodeAnswer | NodeFailure | undefined,
  among: readonly bigint[],
): boolean {
  if (answer === undefined || answer instanceof NodeFailure || !answer.ok) return false
  const { result } = answer
  const slots = orUndefined(() => listFrom(result, 'slots').map((slot) => heightFrom(slot, 'slot')))
  return slots?.length === among.length && slots.every((slot, index) => slot === among[index])
}

function foundFrom(
  [epoch, statuses]: Answers,
  named: FinalReach | undefined,
  count: number,
): readonly boolean[] | undefined {
  const now = reachFrom(epoch)
  if (now === undefined || named === undefined || now.lifetime < named.lifetime) return undefined
  if (statuses === undefined || statuses instanceof NodeFailure || !statuses.ok) return undefined
  const { result } = statuses
  return orUndefined(() => {
    const list = listFrom(contextFrom(result, 'statuses').value, 'statuses')
    if (list.length !== count) throw new NodeFailure('a status is missing')
    return list.map((status) => status !== null)
  })
}
