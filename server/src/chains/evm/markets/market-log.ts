import type { Address, Block, TransactionHash } from '../../chain.ts'
import { fieldsFrom, listFrom } from '../../json-rpc/answer.ts'
import type { Fields } from '../../json-rpc/answer.ts'
import type { Read } from '../../json-rpc/transport.ts'
import { addressFrom, bytesFrom, quantityFrom, transactionHashFrom, wordFrom } from '../answer.ts'
import { logsToldBy, requireSame } from '../block-logs.ts'
import type { LogsTold, WantedLogs } from '../block-logs.ts'

/** A log of a block, before anybody knows what its writer is. */
export interface MarketLog {
  readonly block: Block
  readonly address: Address
  readonly transactionHash: TransactionHash
  readonly logIndex: number
  /** Lower case; the first says which event it is. */
  readonly topics: readonly string[]
  readonly data: Uint8Array
}

/** The logs of a block with one of these first topics. By the block's hash, so that a node without the block says so. */
export function marketLogsRead(
  block: Block,
  firstTopics: readonly string[],
): Read<readonly MarketLog[]> {
  return {
    method: 'eth_getLogs',
    params: [{ blockHash: block.hash, topics: [firstTopics] }],
    parse: (result) =>
      listFrom(result, 'logs').map((each) => logFrom(fieldsFrom(each, 'log'), block)),
  }
}

/** The same, as they are looked for where a node has shown none. */
export function wantedMarketLogs(
  block: Block,
  firstTopics: readonly string[],
): WantedLogs<MarketLog> {
  return {
    anyOf: firstTopics.map((topic) => [bytesFrom(topic, 'topic')]),
    found: (log) => {
      const [first] = listFrom(log['topics'], 'log topics')
      const isWanted = typeof first === 'string' && firstTopics.includes(first)
      return isWanted ? [logFrom(log, block)] : []
    },
  }
}

/** What a block says of its logs; undefined when the node does not have the block. */
export function logsToldRead(block: Block): Read<LogsTold | undefined> {
  return {
    method: 'eth_getBlockByHash',
    params: [block.hash, false],
    parse: (result) => {
      if (result === null) return undefined
      const fields = fieldsFrom(result, 'block')
      requireSame(fields['hash'], block, 'block hash')
      return logsToldBy(fields)
    },
  }
}

/** Who signed a transaction; undefined when the node does not have it in that block. */
export function signerRead({ transactionHash, block }: MarketLog): Read<Address | undefined> {
  return {
    method: 'eth_getTransactionByHash',
    params: [transactionHash],
    parse: (result) => {
      if (result === null) return undefined
      const fields = fieldsFrom(result, 'transaction')
      const { blockHash } = fields
      if (blockHash === null || wordFrom(blockHash, 'block hash') !== block.hash) return undefined
      return addressFrom(fields['from'], 'sender')
    },
  }
}

/** Reads a log of a block, else throws NodeFailure. */
export function logFrom(log: Fields, block: Block): MarketLog {
  requireSame(log['blockHash'], block, "log's block")
  return {
    block,
    address: addressFrom(log['address'], 'log address'),
    transactionHash: transactionHashFrom(log['transactionHash'], "log's transaction"),
    logIndex: Number(quantityFrom(log['logIndex'], 'log index')),
    topics: listFrom(log['topics'], 'log topics').map((topic) => wordFrom(topic, 'log topic')),
    data: bytesFrom(log['data'], 'log data'),
  }
}
