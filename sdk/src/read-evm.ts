import { toHex } from './hex.ts'
import type { EvmTransaction } from './own-wallet.ts'
import { readRlpList } from './rlp.ts'
import type { RlpField } from './rlp.ts'

const TYPE = 2
const FIELDS = 9
const ADDRESS_BYTES = 20
const WORD_BYTES = 32
/** What a JavaScript number holds without loss. */
const NUMBER_BYTES = 6

/** Reads what an EIP-1559 signature is over, to the last byte; undefined for anything else, and with an access list. */
export function readEvm(bytes: Uint8Array): EvmTransaction | undefined {
  const list = bytes[0] === TYPE ? readRlpList(bytes.subarray(1)) : undefined
  if (list?.length !== FIELDS || list[8] !== 'empty list') return undefined
  const [chainId, nonce] = [quantity(list[0], NUMBER_BYTES), quantity(list[1], NUMBER_BYTES)]
  const [maxPriorityFeePerGas, maxFeePerGas, gas] = [list[2], list[3], list[4]].map((field) =>
    quantity(field, WORD_BYTES),
  )
  const value = quantity(list[6], WORD_BYTES)
  const [to, data] = [list[5], list[7]]
  if (!(to instanceof Uint8Array) || to.length !== ADDRESS_BYTES) return undefined
  if (!(data instanceof Uint8Array) || chainId === undefined || nonce === undefined) {
    return undefined
  }
  if (maxPriorityFeePerGas === undefined || maxFeePerGas === undefined) return undefined
  if (gas === undefined || value === undefined) return undefined
  return {
    type: 'eip1559',
    chainId: Number(chainId),
    nonce: Number(nonce),
    to: toHex(to),
    value,
    data: toHex(data),
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  }
}

/** In the shortest bytes, of at most so many. */
function quantity(field: RlpField | undefined, bytesMax: number): bigint | undefined {
  if (!(field instanceof Uint8Array) || field.length > bytesMax || field[0] === 0) return undefined
  return field.length === 0 ? 0n : BigInt(toHex(field))
}
