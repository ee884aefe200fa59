import type { Block, TransactionHash } from '../chain.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import type { NodeError } from '../json-rpc/messages.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { readInPieces } from '../pieces.ts'
import type { Pieces } from '../pieces.ts'
import { wordFrom } from './answer.ts'
import { receiptLogs } from './receipt-logs.ts'

/** A transaction of 16.7 million gas (EIP-7825) logs 20 MB of JSON at most, which is below what one answer may have. */
const RECEIPTS_PER_READ_MAX = 8

/**
 * What the logs of a block are to the asker, read from the receipt of each of its transactions: for a block whose logs no node gives in one answer, or of which it shows none. Undefined when one
 * of them is not in that block, which the chain has left then. Throws NodeFailure.
 */
export async function readLogsByReceipts<Found>(
  transport: Pick<Transport, 'read'>,
  block: Block,
  found: (log: Fields) => readonly Found[],
  kept: Pieces<readonly Found[]>,
): Promise<readonly Found[] | undefined> {
  const { transactionHashes: hashes } = block
  const pieces = kept.of(transport, block, hashes)
  const read = await readInPieces(hashes, RECEIPTS_PER_READ_MAX, pieces, async (few) => {
    const logs = await Promise.all(
      few.map((hash) => readInBlock(transport, receiptRead(block, hash, found))),
    )
    return logs.includes(undefined) ? undefined : logs.flatMap((each) => each ?? [])
  })
  return read?.flat()
}

function receiptRead<Found>(
  block: Block,
  hash: TransactionHash,
  found: (log: Fields) => readonly Found[],
): Read<readonly Found[] | undefined> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => {
      if (result === null) throw new NotInItsBlock(hash)
      const receipt = fieldsFrom(result, 'receipt')
      if (wordFrom(receipt['blockHash'], 'receipt block') !== block.hash) return undefined
      return receiptLogs(receipt).flatMap((log) => found(fieldsFrom(log, 'log')))
    },
  }
}

const WHAT = String.raw`(?:results?|logs|response size)`
const TOO_MUCH = String.raw`(?:exceed\w*|more than|too (?:many|large|big))`
const TOO_MANY = new RegExp(
  `\\b${WHAT}\\b.*\\b${TOO_MUCH}\\b|\\b${TOO_MUCH}\\b.*\\b${WHAT}\\b`,
  'i',
)

/**
 * Whether a node says that there are more logs than it gives in one answer, in the words of those that bound them (10,000 is usual). Not whether it gives nothing
 * for now: who asked too often must not ask for each transaction then.
 */
export function areTooManyLogs({ message }: Pick<NodeError, 'message'>): boolean {
  return TOO_MANY.test(message)
}
