import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { readInPieces } from '../pieces.ts'
import type { Pieces } from '../pieces.ts'
import { heightFrom, indexFrom } from './answer.ts'
import { blockHashRead } from './blocks.ts'
import { accountsOf, outcomeOptions, requireHash } from './outcome.ts'

/** Whole transactions of one read. Each takes at most a megabyte: 64 inner instructions of 10 KB, 64 accounts, 10 KB of logs. */
export const TRANSACTIONS_PER_READ_MAX = 16

/** What transactions are to the asker, and those that no node shows in a way that can be read. */
export interface Records<Found> {
  readonly found: readonly Found[]
  readonly unread: readonly TransactionHash[]
}

/** A node shows the right transaction, and not in a way that can be read. Another node may show it better. */
class UnreadableTransaction extends NodeFailure {}

/**
 * Reads the transactions of a block by themselves, for a block whose accounts no node gives in one answer: whoever fills it with transactions that name 64
 * accounts each makes that longer than 32 MB for some dollars. Each is shown to `foundIn` as a block shows its accounts. Those that no node shows in a way that can be read
 * are passed over, and named. Undefined when the chain has left the block meanwhile. Throws NodeFailure.
 */
export async function readOneByOne<Found>(
  transport: Pick<Transport, 'read'>,
  block: Block,
  foundIn: (record: Fields) => readonly Found[],
  kept: Pieces<Records<Found>>,
): Promise<Records<Found> | undefined> {
  const { transactionHashes: hashes } = block
  const pieces = kept.of(transport, block, hashes)
  // What could not be read last time another node may show now: kept, it would hold up whoever cannot do without it until a restart.
  for (const [place, { unread }] of pieces) if (unread.length > 0) pieces.delete(place)
  // Another block may hold the same transactions at that slot by now, and have held them when some of the pieces were read.
  const isStanding = async () => (await transport.read(blockHashRead(block.height))) === block.hash
  if (pieces.size > 0 && !(await isStanding())) pieces.clear()
  const read = await readInPieces(hashes, TRANSACTIONS_PER_READ_MAX, pieces, async (few) => {
    const records = await Promise.all(
      few.map((hash) =>
        readInBlock(transport, recordRead(block, hash, foundIn)).catch((error: unknown) => {
          if (error instanceof UnreadableTransaction) return 'unreadable' as const
          throw error
        }),
      ),
    )
    if (records.includes(undefined)) return undefined
    return {
      found: records.flatMap((each) => (each === undefined || each === 'unreadable' ? [] : each)),
      unread: few.filter((_, index) => records[index] === 'unreadable'),
    }
  })
  if (read === undefined) return undefined
  if (!(await isStanding())) {
    pieces.clear()
    return undefined
  }
  return {
    found: read.flatMap(({ found }) => found),
    unread: read.flatMap(({ unread }) => unread),
  }
}

function recordRead<Found>(
  { height }: Block,
  hash: TransactionHash,
  foundIn: (record: Fields) => readonly Found[],
): Read<readonly Found[]> {
  return {
    method: 'getTransaction',
    params: [hash, outcomeOptions],
    parse: (result) => {
      if (result === null) throw new NotInItsBlock(hash)
      try {
        const fields = fieldsFrom(result, 'transaction')
        if (heightFrom(fields['slot'], 'slot') !== height) throw new NotInItsBlock(hash)
        return foundIn(recordFrom(fields, hash))
      } catch (error) {
        if (!(error instanceof NodeFailure) || error instanceof NotInItsBlock) throw error
        throw new UnreadableTransaction(error.message)
      }
    },
  }
}

/** A whole transaction as a block shows its accounts. */
function recordFrom(fields: Fields, hash: TransactionHash): Fields {
  const meta = fieldsFrom(fields['meta'], "transaction's meta")
  const transaction = fieldsFrom(fields['transaction'], 'transaction')
  requireHash(transaction, hash)
  const message = fieldsFrom(transaction['message'], 'message')
  const header = fieldsFrom(message['header'], "message's header")
  const signers = indexFrom(header['numRequiredSignatures'], 'signers')
  const accountKeys = accountsOf(message, meta).map((pubkey, index) => ({
    pubkey,
    signer: index < signers,
  }))
  return { meta, transaction: { signatures: transaction['signatures'], accountKeys } }
}
