import { numberToHex } from 'viem/utils'
import type { Json, JsonObject } from '../host/json.ts'
import { isJsonArray, isJsonObject } from '../host/json.ts'

/** Where a call names its block among its parameters; of those that may leave it out, the newest is meant. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  ...{ eth_call: 1, eth_estimateGas: 1, eth_getBalance: 1, eth_getCode: 1 },
  ...{ eth_getTransactionCount: 1, eth_getStorageAt: 2, eth_getProof: 2 },
  ...{ eth_getBlockByNumber: 0, eth_getBlockReceipts: 0, eth_feeHistory: 1 },
}
const NEWEST: readonly Json[] = ['latest', 'pending']

/**
 * A call as a node reads it whose newest block is of this height; undefined where it names a newer one, of which that node has never heard. What
 * names no block is left as it is.
 */
export function laggingCall(call: JsonObject, height: number): JsonObject | undefined {
  const { method, params = [] } = call
  if (!isJsonArray(params)) return call
  if (method === 'eth_getLogs') {
    const [filter, ...more] = params
    if (!isJsonObject(filter) || filter['blockHash'] !== undefined) return call
    // Nodes show the logs that they have of a range that goes further.
    const toBlock = lagging(filter['toBlock'], height) ?? numberToHex(height)
    const fromBlock = lagging(filter['fromBlock'], height) ?? numberToHex(height)
    return { ...call, params: [{ ...filter, fromBlock, toBlock }, ...more] }
  }
  const at = typeof method === 'string' ? BLOCK_AT[method] : undefined
  if (at === undefined) return call
  const block = lagging(params[at], height)
  return block === undefined
    ? undefined
    : { ...call, params: [...params.slice(0, at), block, ...params.slice(at + 1)] }
}

/** What stands for a block; undefined for one that is newer. Hashes and other tags are left as they are. */
function lagging(block: Json | undefined, height: number): Json | undefined {
  if (block === undefined || NEWEST.includes(block)) return numberToHex(height)
  const isQuantity = typeof block === 'string' && /^0x[0-9a-f]+$/i.test(block)
  return isQuantity && BigInt(block) > BigInt(height) ? undefined : block
}
