import { baseUnits } from '@florin/wire/amount.ts'
import type { Outcome, TokenTransfer, TransactionHash } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import { addressFrom, bytesFrom, quantityFrom, wordFrom } from './answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { blockHashRead } from './blocks.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'

/** keccak-256 of Transfer(address,address,uint256). Source: ERC-20. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_TOPICS = 3
const WORD_BYTES = 32
/** Where the 20 bytes of an address begin in the text of a 32-byte word. */
const ADDRESS_AT = 26

/**
 * What the chain shows of each transaction: one round trip, and one more for the blocks that receipts name. A receipt
 * whose block is no longer the canonical one of its height counts as absent.
 */
export async function readOutcomes(
  transport: Transport,
  hashes: readonly TransactionHash[],
): Promise<readonly Outcome[]> {
  const found = await Promise.all(hashes.map((hash) => transport.read(receiptRead(hash))))
  const heights = new Set(
    found.flatMap((outcome) => (outcome.state === 'mined' ? [outcome.height] : [])),
  )
  const canonical = new Map(
    await Promise.all(
      [...heights].map(
        async (height) => [height, await transport.read(blockHashRead(height))] as const,
      ),
    ),
  )
  return found.map((outcome) =>
    outcome.state === 'mined' && canonical.get(outcome.height) !== outcome.blockHash
      ? { state: 'absent' }
      : outcome,
  )
}

function receiptRead(hash: TransactionHash): Read<Outcome> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => (result === null ? { state: 'absent' } : outcomeFrom(result, hash)),
  }
}

function outcomeFrom(result: unknown, hash: TransactionHash): Outcome {
  const receipt = fieldsFrom(result, 'receipt')
  if (wordFrom(receipt['transactionHash'], 'receipt hash') !== hash) {
    throw malformed('receipt hash', receipt['transactionHash'])
  }
  return {
    state: 'mined',
    height: quantityFrom(receipt['blockNumber'], 'receipt height'),
    blockHash: wordFrom(receipt['blockHash'], 'receipt block'),
    succeeded: succeededFrom(receipt['status']),
    feePaid: baseUnits(feeFrom(receipt)),
    transfers: listFrom(receipt['logs'], 'receipt logs').flatMap(transferFrom),
  }
}

function succeededFrom(status: unknown): boolean {
  const value = quantityFrom(status, 'receipt status')
  if (value > 1n) throw malformed('receipt status', status)
  return value === 1n
}

/** Gas at the price paid, and on an OP Stack roll-up its fee for publishing the bytes. */
function feeFrom(receipt: Fields): bigint {
  const gas = quantityFrom(receipt['gasUsed'], 'gas used')
  const price = quantityFrom(receipt['effectiveGasPrice'], 'gas price paid')
  const dataFee = receipt['l1Fee']
  return gas * price + (typeof dataFee === 'string' ? quantityFrom(dataFee, 'data fee') : 0n)
}

/**
 * A log of the ERC-20 Transfer shape, whichever contract wrote it: whoever looks for an effect names the asset, and one that has left
 * the configuration since must still be seen. Nothing otherwise.
 */
function transferFrom(value: unknown): readonly TokenTransfer[] {
  const log = fieldsFrom(value, 'log')
  const asset = addressFrom(log['address'], 'log address')
  const topics = listFrom(log['topics'], 'log topics')
  if (topics.length !== TRANSFER_TOPICS || topics[0] !== TRANSFER_TOPIC) {
    return []
  }
  const data = bytesFrom(log['data'], 'log data')
  if (data.length !== WORD_BYTES) return []
  return [
    {
      asset,
      from: topicAddress(topics[1]),
      to: topicAddress(topics[2]),
      amount: quantityFrom(log['data'], 'log data'),
      logIndex: Number(quantityFrom(log['logIndex'], 'log index')),
    },
  ]
}

function topicAddress(topic: unknown): ReturnType<typeof addressFrom> {
  return addressFrom(`0x${wordFrom(topic, 'log topic').slice(ADDRESS_AT)}`, 'log topic')
}
