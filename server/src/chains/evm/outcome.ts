import { baseUnits } from '@florin/wire/amount.ts'
import type { Block, Outcome, TransactionHash } from '../chain.ts'
import { fieldsFrom, malformed } from '../json-rpc/answer.ts'
import { quantityFrom, wordFrom } from './answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { canonicalRead } from './blocks.ts'
import { NotInItsBlock, readInBlock } from '../json-rpc/in-its-block.ts'
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
  followed: readonly (Standing & Pick<Block, 'transactionHashes'>)[] = [],
): Promise<readonly Outcome[]> {
  const standing = new Set(followed.flatMap(({ transactionHashes }) => transactionHashes))
  const found = await Promise.all(
    hashes.map((hash) =>
      standing.has(hash) ? pricedInBlock(transport, hash) : transport.read(pricedRead(hash)),
    ),
  )
  const heights = found.flatMap(({ outcome }) =>
    outcome.state === 'mined' ? [outcome.height] : [],
  )
  const canonical = new Map<bigint, Standing | undefined>(
    followed.map((block) => [block.height, block]),
  )
  const asked = new Set(heights.filter((height) => !canonical.has(height)))
  await Promise.all(
    [...asked].map(async (height) => {
      canonical.set(height, await transport.read(canonicalRead(height)))
    }),
  )
  return found.map((priced) => {
    if (priced.outcome.state !== 'mined') return priced.outcome
    const block = canonical.get(priced.outcome.height)
    return block?.hash === priced.outcome.blockHash
      ? withPriority(priced, block)
      : { state: 'absent' }
  })
}

/** A block that is the chain's at its height. */
type Standing = Pick<Block, 'height' | 'hash' | 'baseFeePerGas'>

/** What a receipt says, with what it tells of gas. */
export interface Priced {
  readonly outcome: Outcome
  readonly gasUsed: bigint
  /** Wei per gas, the base fee of the block included. */
  readonly pricePerGas: bigint
}

/** The outcome with what of its fee went to whoever made the block: what the price was above the block's base fee. Source: EIP-1559. */
export function withPriority(
  { outcome, gasUsed, pricePerGas }: Priced,
  { baseFeePerGas }: Pick<Block, 'baseFeePerGas'>,
): Outcome {
  if (outcome.state !== 'mined' || baseFeePerGas === undefined) return outcome
  // Some roll-ups charge a price of their own, which may be below.
  const tip = pricePerGas > baseFeePerGas ? pricePerGas - baseFeePerGas : 0n
  return { ...outcome, priorityFeePaid: tip * gasUsed }
}

/** What one receipt says, of gas as well; whether its block is the chain's is for the caller to ask. */
export function pricedRead(hash: TransactionHash): Read<Priced> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => (result === null ? ABSENT : pricedFrom(result, hash)),
  }
}

/** The same of what stands in a block that was just read: where a node has no receipt of it the next one is asked. */
export async function pricedInBlock(
  transport: Pick<Transport, 'read'>,
  hash: TransactionHash,
): Promise<Priced> {
  const read = pricedRead(hash)
  const parse = (result: unknown) => {
    if (result === null) throw new NotInItsBlock(hash)
    return read.parse(result)
  }
  return (await readInBlock(transport, { ...read, parse })) ?? ABSENT
}

const ABSENT: Priced = { outcome: { state: 'absent' }, gasUsed: 0n, pricePerGas: 0n }

function pricedFrom(result: unknown, hash: TransactionHash): Priced {
  const receipt = fieldsFrom(result, 'receipt')
  if (wordFrom(receipt['transactionHash'], 'receipt hash') !== hash) {
    throw malformed('receipt hash', receipt['transactionHash'])
  }
  const succeeded = succeededFrom(receipt['status'])
  const gasUsed = quantityFrom(receipt['gasUsed'], 'gas used')
  const pricePerGas = quantityFrom(receipt['effectiveGasPrice'], 'gas price paid')
  const outcome: Outcome = {
    state: 'mined',
    height: quantityFrom(receipt['blockNumber'], 'receipt height'),
    blockHash: wordFrom(receipt['blockHash'], 'receipt block'),
    succeeded,
    feePaid: baseUnits(gasUsed * pricePerGas + besideGas(receipt, gasUsed)),
    // What failed has none, whatever filter a chain gives it.
    transfers: succeeded ? receiptLogs(receipt).flatMap(transferFrom) : [],
  }
  return { outcome, gasUsed, pricePerGas }
}

/** Reads a receipt's status, else throws NodeFailure. */
export function succeededFrom(status: unknown): boolean {
  const value = quantityFrom(status, 'receipt status')
  if (value > 1n) throw malformed('receipt status', status)
  return value === 1n
}

/** What an OP Stack roll-up takes on top of gas at its price: its fee for publishing the bytes and that of its operator. */
function besideGas(receipt: Fields, gas: bigint): bigint {
  return told(receipt, 'l1Fee') + operatorFee(receipt, gas)
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
