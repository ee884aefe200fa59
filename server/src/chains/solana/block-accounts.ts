import { NodeFailure } from '../chain.ts'
import type { Block } from '../chain.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read } from '../json-rpc/transport.ts'
import { requireWhole } from '../whole-block.ts'
import { blockhashFrom } from './answer.ts'

/** A full block with its balances is 3 to 6 MB of JSON; so many stay well below what an answer may have. */
export const BLOCKS_PER_READ_MAX = 2

const OPTIONS = {
  commitment: 'confirmed',
  rewards: false,
  maxSupportedTransactionVersion: 0,
  transactionDetails: 'accounts',
}

/** A node shows the right block, whole, and one of its transactions cannot be read. Another node may show it better. */
export class UnreadableRecord extends NodeFailure {}

/**
 * Reads a block for who stands in its transactions, and what that is to the caller. Undefined when another block stands at that slot now. Throws NodeFailure
 * where it is not shown whole, UnreadableRecord where `foundIn` cannot read one of them.
 */
export function blockAccountsRead<Found>(
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
): Read<readonly Found[] | undefined> {
  return {
    method: 'getBlock',
    params: [Number(block.height), OPTIONS],
    parse: (result) => {
      const fields = fieldsFrom(result, 'block')
      if (blockhashFrom(fields['blockhash'], 'blockhash') !== block.hash) return undefined
      const transactions = listFrom(fields['transactions'], "block's transactions")
      requireWhole(transactions, block)
      requireNamed(transactions, block)
      return transactions.flatMap((each, place) => {
        try {
          return foundIn(fieldsFrom(each, 'transaction'))
        } catch (error) {
          if (!(error instanceof NodeFailure)) throw error
          const which = `transaction ${block.transactionHashes[place] ?? place} of block ${block.height}`
          throw new UnreadableRecord(`${which} cannot be read: ${error.message}`)
        }
      })
    },
  }
}

/**
 * Throws NodeFailure where the node shows the block without one of the transactions that are asked for, or under another name: that it brought nothing would
 * be believed for ever, and of what cannot be read another one would be set aside.
 */
function requireNamed(shown: readonly unknown[], { height, transactionHashes }: Block): void {
  const names = new Set(
    shown.map((each) => {
      const { transaction } = fieldsFrom(each, 'transaction')
      return listFrom(fieldsFrom(transaction, 'transaction')['signatures'], 'signatures')[0]
    }),
  )
  const missing = transactionHashes.find((hash) => !names.has(hash))
  if (missing !== undefined) {
    throw new NodeFailure(`the node shows block ${height} without transaction ${missing}`)
  }
}
