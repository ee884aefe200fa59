import { NodeFailure } from '../chain.ts'
import type { TransactionHash } from '../chain.ts'
import type { Read, Transport } from './transport.ts'

/** A node does not have a transaction where a block has it that was just read. Another node may: one that keeps no history says so of every transaction. */
export class NotInItsBlock extends NodeFailure {
  constructor(hash: TransactionHash) {
    super(`the node does not have transaction ${hash} where its block has it`)
  }
}

/** Reads what stands in a block; undefined when no node has it there: the chain has left that block, or keeps no history. */
export async function readInBlock<Value>(
  transport: Pick<Transport, 'read'>,
  read: Read<Value>,
): Promise<Value | undefined> {
  try {
    return await transport.read(read)
  } catch (error) {
    if (error instanceof NotInItsBlock) return undefined
    throw error
  }
}
