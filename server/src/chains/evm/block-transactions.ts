import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import { AnswerTooLong } from '../json-rpc/answer-too-long.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { readInPieces } from '../pieces.ts'
import type { Pieces } from '../pieces.ts'
import { requireWhole } from '../whole-block.ts'
import { transactionHashFrom, wordFrom } from './answer.ts'
import { logsToldBy, requireSame } from './block-logs.ts'
import type { LogsTold } from './block-logs.ts'
import type { KeptBlocks } from './kept-blocks.ts'

/** What a block says of its logs, and what its transactions are to the asker. */
export interface BlockTransactions<Found> {
  readonly told: LogsTold
  readonly found: readonly Found[]
}

/** Call data is twice as long in JSON: what one transaction may carry within its gas is 3 MB of it. */
const TRANSACTIONS_PER_READ_MAX = 8

/**
 * Reads a block with all of its transactions; undefined when the node does not have that block, or the chain has left it. One call, which whoever else reads
 * the block in the same tick shares, and none where it was read with its transactions (`wholes`). Whoever fills a block with call data decides how long that answer is (where gas is cheap, 32 MB cost some dollars): where it is too
 * long, each transaction is asked for by itself, so that nobody can stop whoever follows. Throws NodeFailure.
 */
export async function readBlockTransactions<Found>(
  transport: Pick<Transport, 'read'>,
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
  kept: Pieces<readonly Found[]>,
  wholes?: KeptBlocks,
): Promise<BlockTransactions<Found> | undefined> {
  const known = knownOf(block, foundIn, wholes)
  if (known !== undefined) return known
  try {
    return await transport.read(wholeRead(block, foundIn))
  } catch (error) {
    if (!(error instanceof AnswerTooLong)) throw error
    return readOneByOne(transport, block, foundIn, kept)
  }
}

/** What was read with the block. Where that is not as it should be, another node may say it better. */
function knownOf<Found>(
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
  wholes: KeptBlocks | undefined,
): BlockTransactions<Found> | undefined {
  const whole = wholes?.of(block)
  if (whole === undefined) return undefined
  try {
    requireWhole(whole.transactions, block)
    return { told: whole.told, found: whole.transactions.flatMap((each) => foundIn(each)) }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    wholes?.forget(block)
    return undefined
  }
}

function wholeRead<Found>(
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
): Read<BlockTransactions<Found> | undefined> {
  return {
    method: 'eth_getBlockByHash',
    params: [block.hash, true],
    parse: (result) => {
      const header = headerFrom(result, block)
      if (header === undefined) return undefined
      const transactions = listFrom(header['transactions'], "block's transactions")
      requireWhole(transactions, block)
      return {
        told: logsToldBy(header),
        found: transactions.flatMap((each) => foundIn(fieldsFrom(each, 'transaction'))),
      }
    },
  }
}

async function readOneByOne<Found>(
  transport: Pick<Transport, 'read'>,
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
  kept: Pieces<readonly Found[]>,
): Promise<BlockTransactions<Found> | undefined> {
  const listed = await transport.read(listRead(block))
  if (listed === undefined) return undefined
  const { told, hashes } = listed
  const pieces = kept.of(transport, block, hashes)
  const read = await readInPieces(hashes, TRANSACTIONS_PER_READ_MAX, pieces, async (few) => {
    const found = await Promise.all(
      few.map((hash) => readInBlock(transport, transactionRead(block, hash, foundIn))),
    )
    // Where one is gone, the chain has left the block between two questions.
    return found.includes(undefined) ? undefined : found.flatMap((each) => each ?? [])
  })
  return read && { told, found: read.flat() }
}

interface Listed {
  readonly told: LogsTold
  readonly hashes: readonly TransactionHash[]
}

function listRead(block: Block): Read<Listed | undefined> {
  return {
    method: 'eth_getBlockByHash',
    params: [block.hash, false],
    parse: (result) => {
      const header = headerFrom(result, block)
      if (header === undefined) return undefined
      const hashes = listFrom(header['transactions'], "block's transactions").map((each) =>
        transactionHashFrom(each, 'transaction hash'),
      )
      requireWhole(hashes, block)
      return { told: logsToldBy(header), hashes }
    },
  }
}

function headerFrom(result: unknown, block: Block): Fields | undefined {
  if (result === null) return undefined
  const header = fieldsFrom(result, 'block')
  requireSame(header['hash'], block, 'block hash')
  return header
}

/** Undefined where the node has it elsewhere; one that has it in no block is no witness that the chain has left this one. */
function transactionRead<Found>(
  block: Block,
  hash: TransactionHash,
  foundIn: (transaction: Fields) => readonly Found[],
): Read<readonly Found[] | undefined> {
  return {
    method: 'eth_getTransactionByHash',
    params: [hash],
    parse: (result) => {
      if (result === null) throw new NotInItsBlock(hash)
      const transaction = fieldsFrom(result, 'transaction')
      const told = transactionHashFrom(transaction['hash'], 'transaction hash')
      if (told !== hash) throw malformed('transaction hash', told)
      const where = transaction['blockHash'] ?? null
      if (where === null) throw new NotInItsBlock(hash)
      if (wordFrom(where, "transaction's block") !== block.hash) return undefined
      return foundIn(transaction)
    },
  }
}
