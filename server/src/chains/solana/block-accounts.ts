import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import { AnswerTooLong } from '../json-rpc/answer-too-long.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import type { Pieces } from '../pieces.ts'
import { requireWhole } from '../whole-block.ts'
import { blockhashFrom, transactionHashFrom } from './answer.ts'
import { KNOWN_VERSIONS } from './any-version.ts'
import { readOneByOne } from './block-one-by-one.ts'
import type { Records } from './block-one-by-one.ts'

/** A full block with its balances is 3 to 6 MB of JSON; so many stay well below what an answer may have. */
export const BLOCKS_PER_READ_MAX = 2

const OPTIONS = {
  commitment: 'confirmed',
  rewards: false,
  ...KNOWN_VERSIONS,
  transactionDetails: 'accounts',
}

/** What a person does about nodes of which none shows something. */
export const OTHER_NODE = 'put a node of another provider first in the networks file'

/** A node shows the right block, whole, and one of its transactions cannot be read. Another node may show it better. */
class UnreadableRecord extends NodeFailure {}

/**
 * Reads a block for who stands in its transactions, and what that is to the caller. Undefined when another block stands at that slot now. Throws NodeFailure
 * where it is not shown whole, or where `foundIn` cannot read one of them.
 */
export async function readBlockAccounts<Found>(
  transport: Pick<Transport, 'read'>,
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
  kept: Pieces<Records<Found>>,
): Promise<readonly Found[] | undefined> {
  try {
    return await transport.read(blockAccountsRead(block, foundIn))
  } catch (error) {
    if (!(error instanceof AnswerTooLong)) throw error
    const read = await readOneByOne(transport, block, foundIn, kept)
    requireReadable(read?.unread ?? [], block, 0)
    return read?.found
  }
}

function blockAccountsRead<Found>(
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
): Read<readonly Found[] | undefined> {
  return accountsRead(block, (records) =>
    records.flatMap(({ record, name, place }) => {
      try {
        // Whose record has no name may be anybody's, whatever else it shows.
        if (name === undefined) throw new NodeFailure('it has no signature')
        return foundIn(fieldsFrom(record, 'transaction'))
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error
        const which = `transaction ${name ?? place} of block ${block.height}`
        throw new UnreadableRecord(`${which} cannot be read: ${error.message}; ${OTHER_NODE}`)
      }
    }),
  )
}

/**
 * The same where what no node shows in a way that can be read is passed over, and named. Only a few of one block are: a node of which no more can be read is of
 * no use.
 */
export async function readBlockRecords<Found>(
  transport: Pick<Transport, 'read'>,
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
  kept: Pieces<Records<Found>>,
): Promise<Records<Found> | undefined> {
  try {
    const found = await transport.read(blockAccountsRead(block, foundIn))
    return found && { found, unread: [] }
  } catch (error) {
    if (error instanceof AnswerTooLong) {
      const read = await readOneByOne(transport, block, foundIn, kept)
      requireReadable(read?.unread ?? [], block, limits.unreadRecordsPerBlockMax)
      return read
    }
    if (!(error instanceof UnreadableRecord)) throw error
    const read = await transport.read(blockRecordsRead(block, foundIn))
    if (read !== undefined && read.unread.length > limits.unreadRecordsPerBlockMax) throw error
    return read
  }
}

function requireReadable(unread: readonly TransactionHash[], { height }: Block, most: number) {
  if (unread.length <= most) return
  const which = `transaction ${unread[0]} of block ${height}`
  throw new UnreadableRecord(`${which} cannot be read; ${OTHER_NODE}`)
}

function blockRecordsRead<Found>(
  block: Block,
  foundIn: (transaction: Fields) => readonly Found[],
): Read<Records<Found> | undefined> {
  const asked = new Set(block.transactionHashes)
  return accountsRead(block, (records, nameless) => {
    const unread = [...nameless]
    const found = records.flatMap(({ record, name }) => {
      if (name === undefined) return []
      try {
        return foundIn(fieldsFrom(record, 'transaction'))
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error
        if (asked.has(name)) unread.push(name)
        return []
      }
    })
    return { found, unread }
  })
}

/** One transaction as a node shows it in its block. */
interface BlockRecord {
  readonly record: unknown
  /** Undefined where it has none that can be read. */
  readonly name: TransactionHash | undefined
  readonly place: number
}

function accountsRead<Value>(
  block: Block,
  taken: (records: readonly BlockRecord[], nameless: readonly TransactionHash[]) => Value,
): Read<Value | undefined> {
  return {
    method: 'getBlock',
    params: [Number(block.height), OPTIONS],
    // The others that are under way are for other blocks.
    hasGathered: true,
    parse: (result) => {
      const fields = fieldsFrom(result, 'block')
      if (blockhashFrom(fields['blockhash'], 'blockhash') !== block.hash) return undefined
      const transactions = listFrom(fields['transactions'], "block's transactions")
      requireWhole(transactions, block)
      const records = transactions.map((record, place) => ({ record, name: nameOf(record), place }))
      return taken(onceEach(records), namelessIn(records, block))
    },
  }
}

function nameOf(record: unknown): TransactionHash | undefined {
  try {
    const { transaction } = fieldsFrom(record, 'transaction')
    const signatures = listFrom(fieldsFrom(transaction, 'transaction')['signatures'], 'signatures')
    return transactionHashFrom(signatures[0], 'signature')
  } catch (error) {
    if (error instanceof NodeFailure) return undefined
    throw error
  }
}

/** A block holds a transaction once: what a node shows once more came to nobody once more. */
function onceEach(records: readonly BlockRecord[]): readonly BlockRecord[] {
  const names = new Set<TransactionHash>()
  return records.filter(({ name }) => {
    if (name === undefined) return true
    const isFirst = !names.has(name)
    names.add(name)
    return isFirst
  })
}

/**
 * Those that are asked for and stand in the block without a name: whoever is named is not one of them. Throws NodeFailure where the node shows the block without
 * one of the transactions that are asked for, or under another name: that it brought nothing would be believed for ever, and of what cannot be read another one
 * would be set aside.
 */
function namelessIn(
  records: readonly BlockRecord[],
  { height, transactionHashes }: Block,
): readonly TransactionHash[] {
  const names = new Set(records.map(({ name }) => name))
  const missing = transactionHashes.filter((hash) => !names.has(hash))
  const nameless = records.filter(({ name }) => name === undefined).length
  if (missing.length > nameless) {
    throw new NodeFailure(
      `the node shows block ${height} without transaction ${missing[0]}; ${OTHER_NODE}`,
    )
  }
  return missing
}
