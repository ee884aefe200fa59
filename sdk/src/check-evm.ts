import type { Asked } from './asked.ts'
import { fromBase64 } from './base64.ts'
import { baseUnitsOf } from './base-units.ts'
import { buildDiffers } from './build-differs.ts'
import type { BuildTransactionAnswer } from './contract/build-transaction.ts'
import type { EvmTransaction } from './own-wallet.ts'
import { readEvm } from './read-evm.ts'

/** ERC-20 transfer(address,uint256), and the twelve zeros before an address. */
const TRANSFER = `0xa9059cbb${'0'.repeat(24)}`
/** Tag and 32 bytes of the payment's commitment, or nothing where the recipient takes no data. */
const COMMITMENT = /^(?:9fde4014[0-9a-f]{64})?$/

/**
 * The fields to sign, read from the bytes: one transfer of what was asked for, a commitment behind it, and nothing else.
 * @throws {FlorinError} BUILD_DIFFERS
 */
export function checkEvm(build: BuildTransactionAnswer, asked: Asked): EvmTransaction {
  const read = evmFields(build, asked)
  const { order, asset, decimals } = asked
  const amount = baseUnitsOf(order.amount, decimals)
  if (amount === undefined) {
    throw buildDiffers('amount', `${order.amount}`, `of an asset of ${decimals} fraction digits`)
  }
  if (asset === 'native') checkNative(read, order.recipientAddress.toLowerCase(), amount)
  else checkToken(read, order.recipientAddress.toLowerCase(), asset.toLowerCase(), amount)
  return read
}

/**
 * The fields that the bytes say, which are those that are shown, for the network and within the fee.
 * @throws {FlorinError} BUILD_DIFFERS
 */
export function evmFields(
  build: BuildTransactionAnswer,
  { feeMax, feeMaxText }: Pick<Asked, 'feeMax' | 'feeMaxText'>,
): EvmTransaction {
  const bytes = bytesOf(build.transaction)
  const read = bytes === undefined ? undefined : readEvm(bytes)
  if (read === undefined) {
    throw buildDiffers('transaction', 'a plain EIP-1559 transaction', 'none that can be read')
  }
  checkFields(build, read)
  const chainId = build.network.split(':')[1] ?? ''
  if (String(read.chainId) !== chainId) throw buildDiffers('chain id', chainId, `${read.chainId}`)
  const fee = read.gas * read.maxFeePerGas
  if (fee > feeMax) throw buildDiffers('fee', `at most ${feeMaxText} (maxFee)`, `up to ${fee} wei`)
  return read
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

/** What is shown field by field is what the bytes say. */
function checkFields({ unsigned }: BuildTransactionAnswer, read: EvmTransaction): void {
  const names = ['chainId', 'nonce', 'to', 'value', 'data', 'gas'] as const
  for (const name of [...names, 'maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    const [told, is] = [String(unsigned?.[name]).toLowerCase(), String(read[name])]
    if (told !== is) throw buildDiffers(`field ${name}`, `${is} as in its bytes`, told)
  }
}

function checkNative(read: EvmTransaction, recipient: string, amount: bigint): void {
  if (read.to !== recipient) throw buildDiffers('recipient', recipient, read.to)
  if (read.value !== amount) throw buildDiffers('amount', `${amount}`, `${read.value}`)
  checkTail(read.data.slice(2))
}

function checkToken(read: EvmTransaction, recipient: string, token: string, amount: bigint): void {
  if (read.to !== token) throw buildDiffers('asset', token, read.to)
  if (read.value !== 0n) throw buildDiffers('native value', '0', `${read.value}`)
  const { data } = read
  const [addressAt, amountAt] = [TRANSFER.length, TRANSFER.length + 40]
  if (!data.startsWith(TRANSFER) || data.length < amountAt + 64) {
    throw buildDiffers('call', 'a transfer of the token', data.slice(0, 10))
  }
  const to = `0x${data.slice(addressAt, amountAt)}`
  if (to !== recipient) throw buildDiffers('recipient', recipient, to)
  const moved = BigInt(`0x${data.slice(amountAt, amountAt + 64)}`)
  if (moved !== amount) throw buildDiffers('amount', `${amount}`, `${moved}`)
  checkTail(data.slice(amountAt + 64))
}

function checkTail(tail: string): void {
  if (COMMITMENT.test(tail)) return
  throw buildDiffers('call data', 'a commitment and nothing else', `${tail.length / 2} bytes`)
}
