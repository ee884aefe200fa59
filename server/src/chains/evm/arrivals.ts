import { baseUnits } from '@florin/wire/amount.ts'
import { isCurrencyToken, isReserve } from '../../kernel/currency-tokens.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NATIVE_EFFECT_INDEX } from '../chain.ts'
import type { Address, Arrival, Block, Chain, TransactionHash } from '../chain.ts'
import { AnswerTooLong } from '../json-rpc/answer-too-long.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { openPieces } from '../pieces.ts'
import { addressBytes, requireAddress } from './account.ts'
import { addressFrom, bytesFrom, quantityFrom, transactionHashFrom, wordFrom } from './answer.ts'
import { logsBehindNone, requireSame } from './block-logs.ts'
import type { WantedLogs } from './block-logs.ts'
import { areTooManyLogs, readLogsByReceipts } from './block-receipts.ts'
import { readBlockTransactions } from './block-transactions.ts'
import type { BlockTransactions } from './block-transactions.ts'
import { blocksInReads } from './blocks-in-reads.ts'
import type { KeptBlocks } from './kept-blocks.ts'
import { succeededFrom } from './outcome.ts'
import { excludes } from './range-logs.ts'
import type { BlockLogs, RangeLogs } from './range-logs.ts'
import { TRANSFER_TOPIC, transferFrom } from './token-transfers.ts'

const keptOffers = openPieces<readonly Arrival[]>()
const keptTransfers = openPieces<readonly Arrival[]>()

export interface ArrivalsDeps {
  readonly transport: Transport
  readonly config: NetworkConfig
  /** What was read of blocks with all of their transactions. */
  readonly wholes?: KeptBlocks
  /** Left out, each block's logs are asked for by its hash. */
  readonly ranges?: RangeLogs
  /** What a block's filter excludes need not be asked for; left out, it is. */
  readonly isFiltered?: boolean
}

/**
 * Native transfers are read from the blocks' own transactions, tokens from the logs of the configured ones. Both are asked by block hash,
 * never by height alone: a node that does not have the block should say so, where for heights it would answer with no logs at all. Some nodes answer
 * no logs for a hash, too, and behind one address another machine may tell the logs than told the block: an empty answer is believed only where
 * the block's own filter lets it be.
 */
export async function readArrivals(
  { transport, config, wholes, ranges, isFiltered = false }: ArrivalsDeps,
  blocks: readonly Block[],
  ours: Parameters<Chain['arrivals']>[1],
): Promise<readonly Arrival[] | undefined> {
  const tokens = config.assets.flatMap(({ asset }) =>
    asset === 'native' ? [] : [requireAddress(asset)],
  )
  const deps = { transport, wholes, ranges, isFiltered }
  const arrivals: Arrival[] = []
  for (const part of blocksInReads(blocks)) {
    const found = await readTransfers(deps, tokens, part, blocks)
    if (found.includes(undefined)) return undefined
    const transfers = toldOnce(
      config,
      found.flatMap((each) => each ?? []),
    )
    const mine = await ours([...new Set(transfers.map(({ to }) => to))])
    const taken = onceEach(transfers.filter(({ to }) => mine.has(to)))
    const effects = await Promise.all(taken.map((each) => tookEffect(transport, each)))
    if (effects.includes('elsewhere')) return undefined
    arrivals.push(...taken.filter((_, index) => effects[index] === 'here'))
  }
  return arrivals
}

/**
 * Without what a token that is the native currency says of money that the chain itself has told: its log beside a transaction's own value for the same wallet, and
 * what it moves out of its reserve. No code runs at a wallet of ours, so a transaction that brings it value brings it nothing else.
 */
function toldOnce(config: NetworkConfig, transfers: readonly Arrival[]): readonly Arrival[] {
  if (!config.assets.some(({ isCurrency }) => isCurrency === true)) return transfers
  const place = ({ transactionHash, to }: Arrival) => `${transactionHash} ${to}`
  const valued = new Set(transfers.flatMap((each) => (each.asset === 'native' ? place(each) : [])))
  return transfers.filter((each) => {
    if (!isCurrencyToken(config, each.asset)) return true
    return !valued.has(place(each)) && !isReserve(config.network, each.from)
  })
}

/** What a node tells twice came once: equal transfers of one transaction have places of their own. */
function onceEach(transfers: readonly Arrival[]): readonly Arrival[] {
  const places = new Set<string>()
  return transfers.filter(({ blockHash, transactionHash, effectIndex }) => {
    const place = `${blockHash} ${transactionHash} ${effectIndex}`
    const isFirst = !places.has(place)
    places.add(place)
    return isFirst
  })
}

type TransferDeps = Pick<ArrivalsDeps, 'transport'> & {
  readonly wholes: KeptBlocks | undefined
  readonly ranges: RangeLogs | undefined
  /** What a block's filter excludes need not be asked for. */
  readonly isFiltered: boolean
}

/** Of each block; `chain` are those that were read with them. One round trip, and one more for those whose logs no question for several has shown. */
async function readTransfers(
  { transport, wholes, ranges, isFiltered }: TransferDeps,
  tokens: readonly Address[],
  blocks: readonly Block[],
  chain: readonly Block[],
): Promise<readonly (readonly Arrival[] | undefined)[]> {
  const ranged =
    tokens.length === 0 || blocks.length < 2
      ? undefined
      : ranges?.read(blocks, chain, {
          filter: { address: tokens, topics: [TRANSFER_TOPIC] },
          found: tokenArrival,
        })
  return Promise.all(
    blocks.map((block) =>
      readTransfersOf({ transport, wholes, isFiltered, ranged: ranged?.(block) }, tokens, block),
    ),
  )
}

async function readTransfersOf(
  {
    transport,
    wholes,
    isFiltered,
    ranged,
  }: Omit<TransferDeps, 'ranges'> & { readonly ranged: Ranged | undefined },
  tokens: readonly Address[],
  block: Block,
): Promise<readonly Arrival[] | undefined> {
  const wanted = transfersOf(tokens, block)
  const transactions = readBlockTransactions(
    transport,
    block,
    (each) => offered(each, block),
    keptOffers,
    wholes,
  )
  const [natives, logged] = await Promise.allSettled([
    transactions,
    readLoggedOf({ transport, isFiltered, ranged, transactions }, tokens, block, wanted),
  ])
  if (natives.status === 'rejected') throw natives.reason
  // Where the block is not there, an error about its logs says no more.
  if (natives.value === undefined) return undefined
  if (logged.status === 'rejected') throw logged.reason
  if (logged.value === undefined) return undefined
  const { told, found: arrivals } = natives.value
  if (!logged.value.isEmpty) return [...arrivals, ...logged.value.found]
  const moved = await logsBehindNone(transport, block, told, wanted)
  return [...arrivals, ...moved]
}

type Ranged = Promise<BlockLogs<Arrival> | undefined>

/** By the block's hash where no question for several says what it logged, unless its own filter does. */
async function readLoggedOf(
  {
    transport,
    isFiltered,
    ranged,
    transactions,
  }: Pick<TransferDeps, 'transport' | 'isFiltered'> & {
    readonly ranged: Ranged | undefined
    readonly transactions: Promise<BlockTransactions<Arrival> | undefined>
  },
  tokens: readonly Address[],
  block: Block,
  { anyOf }: WantedLogs<Arrival>,
): Promise<BlockLogs<Arrival> | undefined> {
  if (tokens.length === 0) return { isEmpty: false, found: [] }
  if (ranged !== undefined) {
    const shown = await ranged
    if (shown !== undefined) return shown
    const read = await transactions
    if (read === undefined) return undefined
    if (isFiltered && excludes(read.told, anyOf)) return { isEmpty: true, found: [] }
  }
  return readLogged(transport, tokens, block)
}

function transfersOf(tokens: readonly Address[], block: Block): WantedLogs<Arrival> {
  const topic = bytesFrom(TRANSFER_TOPIC, 'topic')
  const listed: ReadonlySet<string> = new Set(tokens)
  return {
    anyOf: tokens.map((token) => [addressBytes(token), topic]),
    found: (log) =>
      listed.has(addressFrom(log['address'], 'log address')) ? tokenArrival(log, block) : [],
  }
}

/** The value that a transaction of a block offers to an address. */
function offered(transaction: Fields, block: Block): readonly Arrival[] {
  const value = quantityFrom(transaction['value'] ?? '0x0', 'value')
  const to = transaction['to'] ?? null
  if (value === 0n || to === null) return []
  const hash = transactionHashFrom(transaction['hash'], 'transaction hash')
  return [
    {
      ...at(block, hash),
      asset: 'native',
      from: addressFrom(transaction['from'], 'sender'),
      to: addressFrom(to, 'recipient'),
      amount: baseUnits(value),
      effectIndex: NATIVE_EFFECT_INDEX,
    },
  ]
}

/**
 * The transfers of tokens that a block logged. Whoever fills a block with them decides how many these are: where they are too long for an answer, or too many for the node that is
 * asked, they are read from the receipts. Undefined when the chain has left that block.
 */
async function readLogged(
  transport: Transport,
  tokens: readonly Address[],
  block: Block,
): Promise<BlockLogs<Arrival> | undefined> {
  try {
    const logged = await transport.read(logsRead(block, tokens))
    if (logged !== 'too many') return logged
  } catch (error) {
    if (!(error instanceof AnswerTooLong)) throw error
  }
  const { found } = transfersOf(tokens, block)
  const arrivals = await readLogsByReceipts(transport, block, found, keptTransfers)
  return arrivals && { isEmpty: false, found: arrivals }
}

function logsRead(block: Block, tokens: readonly Address[]): Read<BlockLogs<Arrival> | 'too many'> {
  return {
    method: 'eth_getLogs',
    params: [{ blockHash: block.hash, address: tokens, topics: [TRANSFER_TOPIC] }],
    parse: (result) => {
      const logs = listFrom(result, 'logs')
      return {
        isEmpty: logs.length === 0,
        found: logs.flatMap((each) => tokenArrival(each, block)),
      }
    },
    meaning: (error) => (areTooManyLogs(error) ? 'too many' : undefined),
  }
}

function tokenArrival(value: unknown, block: Block): readonly Arrival[] {
  const log: Fields = fieldsFrom(value, 'log')
  requireSame(log['blockHash'], block, "log's block")
  const hash = transactionHashFrom(log['transactionHash'], "log's transaction")
  return transferFrom(log).flatMap(({ asset, from, to, amount, logIndex }) =>
    amount === 0n
      ? []
      : [
          {
            ...at(block, hash),
            asset,
            from,
            to,
            amount: baseUnits(amount),
            effectIndex: logIndex,
          },
        ],
  )
}

/** A log exists because its transaction succeeded; value moved only when it did, and the receipt alone says so. */
async function tookEffect(
  transport: Transport,
  { asset, transactionHash, blockHash }: Arrival,
): Promise<'here' | 'not' | 'elsewhere'> {
  if (asset !== 'native') return 'here'
  const receipt: Read<'here' | 'not' | 'elsewhere'> = {
    method: 'eth_getTransactionReceipt',
    params: [transactionHash],
    parse: (result) => {
      if (result === null) throw new NotInItsBlock(transactionHash)
      const { blockHash: where, status } = fieldsFrom(result, 'receipt')
      if (wordFrom(where, 'receipt block') !== blockHash) return 'elsewhere'
      return succeededFrom(status) ? 'here' : 'not'
    },
  }
  return (await readInBlock(transport, receipt)) ?? 'elsewhere'
}

function at({ height, hash }: Block, transactionHash: TransactionHash) {
  return { transactionHash, height, blockHash: hash }
}
