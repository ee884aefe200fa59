import type { Address, TokenTransfer } from '../chain.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import { addressFrom, bytesFrom, quantityFrom, wordFrom } from './answer.ts'

/** keccak-256 of Transfer(address,address,uint256). Source: ERC-20. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_TOPICS = 3
const WORD_BYTES = 32
/** Where the 20 bytes of an address begin in the text of a 32-byte word. */
const ADDRESS_AT = 26

/**
 * A log of the ERC-20 Transfer shape, whichever contract wrote it: whoever looks for an effect names the asset, and one that has left
 * the configuration since must still be seen. Nothing otherwise.
 */
export function transferFrom(value: unknown): readonly TokenTransfer[] {
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

function topicAddress(topic: unknown): Address {
  return addressFrom(`0x${wordFrom(topic, 'log topic').slice(ADDRESS_AT)}`, 'log topic')
}
