import type { RpcValue } from '../rpc-json.ts'

/** Codes that Solana's nodes use beside those of JSON-RPC. */
export const RPC_CODE = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  blockCleanedUp: -32_001,
  preflight: -32_002,
  signature: -32_003,
  blockNotAvailable: -32_004,
  slotSkipped: -32_007,
  unsupportedVersion: -32_015,
  minContextSlot: -32_016,
} as const

/** A call that ends with an error of JSON-RPC. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure'
  readonly code: number
  readonly data: RpcValue | undefined
  constructor(code: number, message: string, data?: RpcValue) {
    super(message)
    this.code = code
    this.data = data
  }
}

export function invalidParams(message: string): RpcFailure {
  return new RpcFailure(RPC_CODE.invalidParams, message)
}
