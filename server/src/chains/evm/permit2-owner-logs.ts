import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Address, TokenTransfer, TransactionHash } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { addressBytes } from './account.ts'
import { addressFrom, bytesFrom, quantityFrom, transactionHashFrom, wordFrom } from './answer.ts'
import { addressWord } from './eip712.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { logsInHalves } from './log-halves.ts'
import type { LogQuestions } from './log-halves.ts'
import type { BlockRange } from './log-ranges.ts'
import { mayHold } from './logs-bloom.ts'
import { NONCES_INVALIDATED_TOPIC, PERMIT2 } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import { TRANSFER_TOPIC, transferFrom } from './token-transfers.ts'

const WORD_BYTES = 32

export interface LogBlock {
  readonly height: bigint
  readonly blockHash: string
}

export type Moved = LogBlock & {
  readonly kind: 'moved'
  readonly hash: TransactionHash
  /** Undefined when the token writes it in a form of its own. */
  readonly transfer: TokenTransfer | undefined
}

/** What left the owner of the token, or what it took back. */
export type OwnerLog =
  | Moved
  | (LogBlock & { readonly kind: 'invalidated'; readonly word: bigint; readonly mask: bigint })

/** The logs of an owner in a part of the chain, the oldest first. */
export async function logsIn(
  transport: Pick<Transport, 'read'>,
  authorization: Permit2Authorization,
  range: BlockRange,
  head: bigint,
  questions: LogQuestions,
): Promise<readonly OwnerLog[]> {
  const read = (part: BlockRange) => transport.read(ownerLogsRead(authorization, part))
  return logsInHalves(read, range, head, questions)
}

/** What left the owner of the token, and which nonces it invalidated, in the chain's order: of one block, or of a part of the chain. */
export function ownerLogsRead(
  { token, from }: Permit2Authorization,
  where: BlockRange | { readonly blockHash: string },
): Read<readonly OwnerLog[]> {
  const topics = [[TRANSFER_TOPIC, NONCES_INVALIDATED_TOPIC], hexBytes(addressWord(from))]
  const place =
    'blockHash' in where
      ? where
      : {
          fromBlock: hexQuantity(where.from),
          toBlock: where.to === null ? 'latest' : hexQuantity(where.to),
        }
  return {
    method: 'eth_getLogs',
    params: [{ address: [token, PERMIT2], topics, ...place }],
    parse: (result) => listFrom(result, 'logs').flatMap((log) => ownerLogFrom(log, token)),
  }
}

/**
 * Whether a block of which a node shows nothing of an owner has nothing of it. That answer alone proves nothing, since the node may have dropped
 * the logs of the block, or not have read them yet: the block's own filter has to exclude that the owner moved the token there.
 */
export async function isSilent(
  transport: Pick<Transport, 'read'>,
  { token, from }: Pick<Permit2Authorization, 'token' | 'from'>,
  blockHash: string,
): Promise<boolean> {
  const bloom = await transport.read(bloomRead(blockHash))
  const topic = bytesFrom(TRANSFER_TOPIC, 'topic')
  return bloom !== undefined && !mayHold(bloom, [addressBytes(token), topic, addressWord(from)])
}

/** The filter of a block's logs; undefined where the node does not show it. */
function bloomRead(blockHash: string): Read<Uint8Array | undefined> {
  return {
    method: 'eth_getBlockByHash',
    params: [blockHash, false],
    parse: (result) => {
      if (result === null) return undefined
      const { logsBloom } = fieldsFrom(result, 'block')
      return typeof logsBloom === 'string' ? bytesFrom(logsBloom, 'logs bloom') : undefined
    },
  }
}

function ownerLogFrom(value: unknown, token: Address): readonly OwnerLog[] {
  const log = fieldsFrom(value, 'log')
  const writer = addressFrom(log['address'], 'log address')
  const [topic] = listFrom(log['topics'], 'log topics')
  if (writer === token) {
    if (topic !== TRANSFER_TOPIC) return []
    const hash = transactionHashFrom(log['transactionHash'], 'log transaction')
    const [transfer] = transferFrom(value)
    return [{ kind: 'moved', hash, transfer, ...blockOf(log) }]
  }
  if (writer !== PERMIT2 || topic !== NONCES_INVALIDATED_TOPIC) return []
  const data = bytesFrom(log['data'], 'log data')
  if (data.length !== 2 * WORD_BYTES) throw malformed('log data', `${data.length} bytes`)
  return [
    {
      kind: 'invalidated',
      word: BigInt(hexBytes(data.subarray(0, WORD_BYTES))),
      mask: BigInt(hexBytes(data.subarray(WORD_BYTES))),
      ...blockOf(log),
    },
  ]
}

function blockOf(log: Fields): LogBlock {
  return {
    height: quantityFrom(log['blockNumber'], 'log height'),
    blockHash: wordFrom(log['blockHash'], 'log block'),
  }
}

/** What a transaction called, and who signed it. */
export interface Called {
  readonly by: Address
  readonly to: Address | null
  readonly data: Uint8Array
}

export function callRead(hash: TransactionHash): Read<Called | undefined> {
  return {
    method: 'eth_getTransactionByHash',
    params: [hash],
    parse: (result) => {
      if (result === null) return undefined
      const { from, to, input } = fieldsFrom(result, 'transaction')
      return {
        by: addressFrom(from, 'sender'),
        to: to === null ? null : addressFrom(to, 'recipient'),
        data: bytesFrom(input, 'transaction input'),
      }
    },
  }
}
