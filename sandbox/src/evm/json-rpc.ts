import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'

/** One call of a JSON-RPC body, still in the shape it came in. */
export interface RpcCall {
  readonly id: Json
  readonly method: string
  readonly params: Json
  readonly source: JsonObject
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: Json
}

/** Reads one element of a body; undefined when it is no call. */
export function readCall(value: Json | undefined): RpcCall | undefined {
  if (!isJsonObject(value) || typeof value['method'] !== 'string') return undefined
  const { id = null, method, params = [] } = value
  return { id, method, params, source: value }
}

export function rpcResult(id: Json, result: Json): JsonObject {
  return { jsonrpc: '2.0', id, result }
}

export function rpcError(id: Json, { code, message, data }: RpcError): JsonObject {
  const error: JsonObject = data === undefined ? { code, message } : { code, message, data }
  return { jsonrpc: '2.0', id, error }
}
