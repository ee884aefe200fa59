import { NodeFailure } from '../chain.ts'
import type { Block } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { openPieces } from '../pieces.ts'
import { bytesFrom, quantityFrom, wordFrom } from './answer.ts'
import { readLogsByReceipts } from './block-receipts.ts'
import { mayHold, saysOfLogs } from './logs-bloom.ts'

/** All logs of a block that used no more gas fit into one answer, and below what nodes give: one takes 375 gas at least, and 600 characters. */
const WHOLE_LOGS_GAS_MAX = 3_500_000n

/** Less gas fills no filter: each of its 2,048 bits takes a third of a writer or topic at least, and those take 375 gas each. */
const FULL_BLOOM_GAS_MIN = 256_000n

/** What a block says of its own logs. */
export interface LogsTold {
  readonly gasUsed: bigint
  /** The filter of its logs, where it is shown. */
  readonly bloom: Uint8Array | undefined
}

/** Which logs of a block are wanted: any whose writer or topics are all of one of these sets, as bytes; and what one of the block's logs is to the asker. */
export interface WantedLogs<Found> {
  readonly anyOf: readonly (readonly Uint8Array[])[]
  /** Asked of every log of the block, those that are not wanted too. */
  found(log: Fields): readonly Found[]
}

/** What the answer to a question for a block says of its logs. Throws NodeFailure. */
export function logsToldBy(block: Fields): LogsTold {
  const { logsBloom } = block
  const bloom = typeof logsBloom === 'string' ? bytesFrom(logsBloom, 'logs bloom') : undefined
  const gasUsed = bloom === undefined ? 0n : quantityFrom(block['gasUsed'], 'gas used')
  return { gasUsed, bloom }
}

/**
 * The wanted logs of a block of which a node has shown none. Some nodes answer so for blocks that they do not have, even by hash, and behind
 * one address another machine may tell the logs than told the block: that is believed where the block's own filter excludes them, without a question. Else
 * all logs of the block are asked for, of which some are there, so that who shows none does not have it. Where they may be more than a node gives, and
 * it gives none, none is believed: somebody could fill a block with them, and nobody would follow beyond it. So it is where the filter is full, as
 * it is on a chain that does not use it. Where every node shows no log at all, the receipts of the block's transactions are the second witness: filters of some chains hold
 * what is no log of the EVM, or is told to nobody (ZKsync's and Sei's have), and nobody would follow beyond such a block either. Throws NodeFailure.
 */
export async function logsBehindNone<Found>(
  transport: Pick<Transport, 'read'>,
  block: Block,
  { gasUsed, bloom }: LogsTold,
  { anyOf, found }: WantedLogs<Found>,
): Promise<readonly Found[]> {
  if (bloom === undefined) return []
  const says = saysOfLogs(bloom)
  if (says === 'none' || (says === 'full' && gasUsed < FULL_BLOOM_GAS_MIN)) return []
  if (!anyOf.some((items) => mayHold(bloom, items))) return []
  try {
    return await transport.read(wholeRead(block, found))
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    const isTold = says === 'some' && gasUsed <= WHOLE_LOGS_GAS_MAX
    if (!isTold) return []
    if (!(error instanceof NoLogs)) throw error
    // So little gas is of few transactions: nothing is kept for another round.
    const logged = await readLogsByReceipts(transport, block, found, openPieces())
    // Who has not all receipts of the block does not have what it logged.
    if (logged === undefined) throw error
    return logged
  }
}

/** A node shows no log of a block whose filter holds some. */
class NoLogs extends NodeFailure {}

/** Apart, since it may be large. */
function wholeRead<Found>(
  block: Block,
  found: (log: Fields) => readonly Found[],
): Read<readonly Found[]> {
  return {
    method: 'eth_getLogs',
    params: [{ blockHash: block.hash }],
    apart: true,
    parse: (result) => {
      const logs = listFrom(result, 'logs').map((each) => fieldsFrom(each, 'log'))
      if (logs.length === 0) {
        throw new NoLogs('the node shows no logs, though the filter of their block holds some')
      }
      return logs.flatMap((log) => {
        requireSame(log['blockHash'], block, "log's block")
        return found(log)
      })
    },
  }
}

/** Throws NodeFailure when an answer is about another block than the one that was asked for. */
export function requireSame(value: unknown, { hash }: Block, what: string): void {
  if (wordFrom(value, what) !== hash) throw malformed(what, value)
}
