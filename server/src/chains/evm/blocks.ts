import { limits } from '../../kernel/limits.ts'
import type { FinalityPolicy } from '../../kernel/network-config.ts'
import type { Address, Block, Head, LanePosition } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { quantityFrom, transactionHashFrom, wordFrom } from './answer.ts'
import { blockFieldsFrom } from './block-fields.ts'
import { AnswerTooLong } from '../json-rpc/answer-too-long.ts'
import { requireSame } from './block-logs.ts'
import { hexQuantity } from './hex.ts'
import { wholeBlockOf } from './kept-blocks.ts'
import type { KeptBlocks, WholeBlock } from './kept-blocks.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'

const MILLISECONDS = 1000n

/**
 * Where the chain is, and how much of it the policy calls final. One round trip. A height that the asker knows to be final (`known`) is told instead of asking a node for one; with `kept` the
 * head's transactions are read with it.
 */
export async function readHead(
  transport: Pick<Transport, 'read'>,
  policy: FinalityPolicy,
  {
    known,
    kept,
  }: { readonly known?: bigint | undefined; readonly kept?: KeptBlocks | undefined } = {},
): Promise<Head> {
  const latest = readLatest(transport, kept)
  if (policy.kind === 'depth') {
    const shown = await latest
    const { height, hash } = shown.block
    return { height, hash, ...whole(shown), finalizedHeight: belowHead(height, policy.blocks) }
  }
  const [shown, finalized] = await Promise.all([latest, known ?? transport.read(FINALIZED_HEIGHT)])
  const { height, hash } = shown.block
  // Two items of one batch may see different heads; nothing above the head is final, and a head below what is final is worth a second question.
  return finalized > height
    ? { height, hash, finalizedHeight: height }
    : { height, hash, finalizedHeight: finalized, ...whole(shown) }
}

/** The block where it is whole: else the head alone is known, and the block is read with the others. */
function whole({ block, isDoubtful }: Shown): Pick<Head, 'block'> {
  return isDoubtful ? {} : { block }
}

async function readLatest(
  transport: Pick<Transport, 'read'>,
  kept: KeptBlocks | undefined,
): Promise<Shown> {
  if (kept === undefined) return transport.read(LATEST)
  try {
    return keptFrom(await transport.read(LATEST_WHOLE), kept)
  } catch (error) {
    if (!(error instanceof AnswerTooLong)) throw error
    return transport.read(LATEST)
  }
}

/**
 * Blocks in order from a height on, as far as the chain goes and each stands on the one before. One round trip, and one more where one is shown
 * without transactions though its header is of some: a node may have the header and not the body, and no block is looked at twice. Shown
 * empty again it is believed: some chains count there what is no transaction of the EVM.
 */
export async function readBlocks(
  transport: Pick<Transport, 'read'>,
  fromHeight: bigint,
  count: number,
  kept?: KeptBlocks,
): Promise<readonly Block[]> {
  const heights = Array.from({ length: count }, (_, index) => fromHeight + BigInt(index))
  const found = await readShown(transport, heights, kept)
  const read = await Promise.all(
    found.map(async (shown) =>
      shown?.isDoubtful === true ? await transport.read(againRead(shown.block)) : shown?.block,
    ),
  )
  const blocks: Block[] = []
  for (const block of read) {
    const below = blocks.at(-1)
    // A reorg between two items of the batch: the part below it is whole, the rest is read again later.
    if (block === undefined || (below !== undefined && block.parentHash !== below.hash)) break
    blocks.push(block)
  }
  return blocks
}

/** With all of their transactions where these are to be kept, unless that is too long for an answer. */
async function readShown(
  transport: Pick<Transport, 'read'>,
  heights: readonly bigint[],
  kept: KeptBlocks | undefined,
): Promise<readonly (Shown | undefined)[]> {
  if (kept !== undefined && heights.length <= limits.wholeBlocksPerReadMax) {
    try {
      const found = await Promise.all(heights.map((height) => transport.read(wholeRead(height))))
      return found.map((shown) => shown && keptFrom(shown, kept))
    } catch (error) {
      if (!(error instanceof AnswerTooLong)) throw error
    }
  }
  return Promise.all(heights.map((height) => transport.read(blockRead(height))))
}

function keptFrom({ whole: shown, ...rest }: ShownWhole, kept: KeptBlocks): Shown {
  if (!rest.isDoubtful) kept.keep(shown)
  return rest
}

/**
 * Used-up nonces of an address at the head, and at the block that the policy calls final. Two round trips: a count of `finalized` may be
 * told by another machine than tells which block that is, and of more blocks, and whoever concludes from it waits for those.
 */
export async function readLanePosition(
  transport: Transport,
  policy: FinalityPolicy,
  address: Address,
): Promise<LanePosition> {
  const { finalizedHeight } = await readHead(transport, policy)
  const [latest, finalized] = await Promise.all([
    transport.read(nonceRead(address, 'latest')),
    transport.read(nonceRead(address, hexQuantity(finalizedHeight))),
  ])
  return { latest, finalized, finalizedHeight }
}

/** How many transactions of an address wait in the pool of the node that answers. One round trip. */
export async function readPooled(transport: Transport, address: Address): Promise<bigint> {
  const [latest, pending] = await Promise.all([
    transport.read(nonceRead(address, 'latest')),
    transport.read(nonceRead(address, 'pending')),
  ])
  return pending > latest ? pending - latest : 0n
}

/** The canonical block at a height; undefined above the head. */
export function canonicalRead(height: bigint): Read<Block | undefined> {
  const { method, params } = blockRead(height)
  return { method, params, parse: (result) => parseBlock(result, height)?.block }
}

/** The hash of the canonical block at a height; undefined above the head. */
export function blockHashRead(height: bigint): Read<string | undefined> {
  const { method, params, parse } = canonicalRead(height)
  return { method, params, parse: (result) => parse(result)?.hash }
}

/** What a node shows for a block. */
interface Shown {
  readonly block: Block
  /** Its header is of transactions, and none is shown. */
  readonly isDoubtful: boolean
}

/** The same, with all transactions. */
interface ShownWhole extends Shown {
  readonly whole: WholeBlock
}

/** The root of a trie in which nothing stands. Source: Yellow Paper, appendix D. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/** Of chains that write none. */
const NO_ROOT = `0x${'0'.repeat(64)}`

const LATEST: Read<Shown> = {
  method: 'eth_getBlockByNumber',
  params: ['latest', false],
  parse: (result) => shownFrom(blockFieldsFrom(result, 'latest block')),
}

const LATEST_WHOLE: Read<ShownWhole> = {
  method: 'eth_getBlockByNumber',
  params: ['latest', true],
  parse: (result) => shownWholeFrom(blockFieldsFrom(result, 'latest block')),
}

const FINALIZED_HEIGHT: Read<bigint> = {
  method: 'eth_getBlockByNumber',
  params: ['finalized', false],
  parse: (result) =>
    quantityFrom(blockFieldsFrom(result, 'finalized block')['number'], 'block number'),
}

function blockRead(height: bigint): Read<Shown | undefined> {
  return {
    method: 'eth_getBlockByNumber',
    params: [hexQuantity(height), false],
    parse: (result) => parseBlock(result, height),
  }
}

function wholeRead(height: bigint): Read<ShownWhole | undefined> {
  return {
    method: 'eth_getBlockByNumber',
    params: [hexQuantity(height), true],
    parse: (result) => {
      if (result === null) return undefined
      const shown = shownWholeFrom(blockFieldsFrom(result, 'block'))
      if (shown.block.height !== height) throw malformed('block number', `${shown.block.height}`)
      return shown
    },
  }
}

/** The same block once more: by its hash, so that nobody tells of another one. */
function againRead(block: Block): Read<Block> {
  return {
    method: 'eth_getBlockByHash',
    params: [block.hash, false],
    parse: (result) => {
      const fields = blockFieldsFrom(result, 'block that was shown before')
      requireSame(fields['hash'], block, 'block hash')
      return blockOf(fields)
    },
  }
}

function parseBlock(result: unknown, height: bigint): Shown | undefined {
  if (result === null) return undefined
  const fields = blockFieldsFrom(result, 'block')
  const shown = shownFrom(fields)
  if (shown.block.height !== height) throw malformed('block number', fields['number'])
  return shown
}

function shownFrom(fields: Fields): Shown {
  const block = blockOf(fields)
  const { transactionsRoot = NO_ROOT } = fields
  const isOfNone = transactionsRoot === EMPTY_ROOT || transactionsRoot === NO_ROOT
  return { block, isDoubtful: block.transactionHashes.length === 0 && !isOfNone }
}

function shownWholeFrom(fields: Fields): ShownWhole {
  const transactions = listFrom(fields['transactions'], "block's transactions")
  const hashes = transactions.map((each) => fieldsFrom(each, 'transaction')['hash'])
  const shown = shownFrom({ ...fields, transactions: hashes })
  return { ...shown, whole: wholeBlockOf(shown.block, fields, transactions) }
}

function blockOf(fields: Fields): Block {
  const hashes = listFrom(fields['transactions'], "block's transactions")
  return {
    height: quantityFrom(fields['number'], 'block number'),
    hash: wordFrom(fields['hash'], 'block hash'),
    parentHash: wordFrom(fields['parentHash'], 'parent hash'),
    timeMilliseconds: Number(quantityFrom(fields['timestamp'], 'block time') * MILLISECONDS),
    transactionHashes: hashes.map((hash) => transactionHashFrom(hash, 'transaction hash')),
    ...(typeof fields['baseFeePerGas'] === 'string'
      ? { baseFeePerGas: quantityFrom(fields['baseFeePerGas'], 'base fee') }
      : {}),
  }
}

/** Nonces that an address has used up as of a block. */
export function nonceRead(address: Address, block: string): Read<bigint> {
  return {
    method: 'eth_getTransactionCount',
    params: [address, block],
    parse: (result) => quantityFrom(result, 'transaction count'),
  }
}

function belowHead(height: bigint, blocks: number): bigint {
  const depth = BigInt(blocks)
  return height > depth ? height - depth : 0n
}
