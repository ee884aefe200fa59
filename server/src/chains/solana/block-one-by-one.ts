import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { heightFrom, indexFrom } from './answer.ts'
import { blockHashRead } from './blocks.ts'
import { accountsOf, outcomeOptions, requireHash } from './outcome.ts'

/** Each takes at most a megabyte: 64 inner instructions of 10 KB, 64 accounts, 10 KB of logs. */
const TRANSACTIONS_PER_READ_MAX = 16

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
): Promise<
  { readonly found: readonly Found[]; readonly unread: readonly TransactionHash[] } | undefined
> {
  const found: Found[] = []
  const unread: TransactionHash[] = []
  const { transactionHashes: hashes } = block
  for (let from = 0; from < hashes.length; from += TRANSACTIONS_PER_READ_MAX) {
    const few = hashes.slice(from, from + TRANSACTIONS_PER_READ_MAX)
    const read = await Promise.all(
      few.map((hash) =>
        readInBlock(transport, recordRead(block, hash, foundIn)).catch((error: unknown) => {
          if (error instanceof UnreadableTransaction) return 'unreadable' as const
          throw error
        }),
      ),
    )
    for (const [index, hash] of few.entries()) {
      const one = read[index]
      if (one === undefined) return undefined
      if (one === 'unreadable') unread.push(hash)
      else found.push(...one)
    }
  }
  // Another block may hold the same transactions at that slot by now.
  const standing = await transport.read(blockHashRead(block.height))
  return standing === block.hash ? { found, unread } : undefined
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
