import { numberToHex } from 'viem/utils'
import type { Json, JsonObject } from '../host/json.ts'
import { isJsonArray, isJsonObject } from '../host/json.ts'

const BLOCK_FIELDS = new Set(['fromBlock', 'toBlock', 'blockNumber'])

/**
 * Replaces the block tags `finalized` and `safe` in a call by a height. anvil calls the block two below its head
 * final, whether it is on disk or not; the sandbox calls it final only when it is.
 */
export function pinFinality(call: JsonObject, height: number): JsonObject {
  const { params } = call
  if (!isJsonArray(params)) return call
  return { ...call, params: params.map((param) => pinned(param, numberToHex(height))) }
}

/** Whether a body could name one of the tags at all; most do not and pass as the bytes they are. */
export function namesFinality(body: Buffer): boolean {
  return body.includes('"finalized"') || body.includes('"safe"')
}

function pinned(value: Json, height: string): Json {
  if (isFinal(value)) return height
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).map(([field, inner]): [string, Json | undefined] => [
    field,
    BLOCK_FIELDS.has(field) && isFinal(inner) ? height : inner,
  ])
  return Object.fromEntries(fields)
}

function isFinal(value: Json | undefined): boolean {
  return value === 'finalized' || value === 'safe'
}
