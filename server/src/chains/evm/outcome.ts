import { baseUnits } from '@florin/wire/amount.ts'
import type { Block, Outcome, TransactionHash } from '../chain.ts'
import { fieldsFrom, malformed } from '../json-rpc/answer.ts'
import { quantityFrom, wordFrom } from './answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { blockHashRead } from './blocks.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { receiptLogs } from './receipt-logs.ts'
import { transferFrom } from './token-transfers.ts'

/**
 * What the chain shows of each transaction: one round trip, and one more for the blocks that receipts name and that the asker has not just
 * read. A receipt whose block is not the canonical one of its height counts as absent.
 */
export async function readOutcomes(
  transport: Pick<Transport, 'read'>,
  hashes: readonly TransactionHash[],
  followed: readonly Pick<Block, 'height' | 'hash'>[] = [],
): Promise<readonly Outcome[]> {
  const found = await Promise.all(hashes.map((hash) => transport.read(receiptRead(hash))))
  const heights = found.flatMap((outcome) => (outcome.state === 'mined' ? [outcome.height] : []))
  const canonical = new Map<bigint, string | undefined>(
    followed.map(({ height, hash }) => [height, hash]),
  )
  const asked = new Set(heights.filter((height) => !canonical.has(height)))
  await Promise.all(
    [...asked].map(async (height) => {
      canonical.set(height, await transport.read(blockHashRead(height)))
    }),
  )
  return found.map((outcome) =>
    outcome.state === 'mined' && canonical.get(outcome.height) !== outcome.blockHash
      ? { state: 'absent' }
      : outcome,
  )
}

/** What one receipt says; whether its block is the chain's is for the caller to ask. */
export function receiptRead(hash: TransactionHash): Read<Outcome> {
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
  const succeeded = succeededFrom(receipt['status'])
  return {
    state: 'mined',
    height: quantityFrom(receipt['blockNumber'], 'receipt height'),
    blockHash: wordFrom(receipt['blockHash'], 'receipt block'),
    succeeded,
    feePaid: baseUnits(feeFrom(receipt)),
    // What failed has none, whatever filter a chain gives it.
    transfers: succeeded ? receiptLogs(receipt).flatMap(transferFrom) : [],
  }
}

/** Reads a receipt's status, else throws NodeFailure. */
export function succeededFrom(status: unknown): boolean {
  const value = quantityFrom(status, 'receipt status')
  if (value > 1n) throw malformed('receipt status', status)
  return value === 1n
}

/** Gas at the price paid, and on an OP Stack roll-up its fee for publishing the bytes and that of its operator. */
function feeFrom(receipt: Fields): bigint {
  const gas = quantityFrom(receipt['gasUsed'], 'gas used')
  const price = quantityFrom(receipt['effectiveGasPrice'], 'gas price paid')
  return gas * price + told(receipt, 'l1Fee') + operatorFee(receipt, gas)
}

/** What the scalar of an operator's fee is divided by, and since Jovian multiplied by. */
const SCALAR_DIVISOR = 1_000_000n
const JOVIAN_MULTIPLIER = 100n

/**
 * No receipt has the fee itself, only what makes it, which is there where one of both is not zero. Receipts since Jovian name the scalar of a block's data, too.
 * Source: ethereum-optimism/specs, protocol/isthmus and protocol/jovian, exec-engine.md, "Operator Fee".
 */
function operatorFee(receipt: Fields, gas: bigint): bigint {
  const scaled = gas * told(receipt, 'operatorFeeScalar')
  const isJovian = typeof receipt['daFootprintGasScalar'] === 'string'
  const share = isJovian ? scaled * JOVIAN_MULTIPLIER : scaled / SCALAR_DIVISOR
  return share + told(receipt, 'operatorFeeConstant')
}

/** What most networks know nothing of. */
function told(receipt: Fields, field: string): bigint {
  const value = receipt[field]
  return typeof value === 'string' ? quantityFrom(value, field) : 0n
}
