import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'

/** What the faucet is to pay. */
export interface SolanaOrder {
  readonly address: string
  /** A mint that the faucet's key may mint, or `native`. */
  readonly asset: string
  readonly amountBaseUnits: bigint
}

/** For the way between the processes, whose messages know no bigint. */
export function solanaOrderJson(order: SolanaOrder): JsonObject {
  return { ...order, amountBaseUnits: order.amountBaseUnits.toString() }
}

export function readSolanaOrder(value: Json): SolanaOrder {
  if (isJsonObject(value)) {
    const { address, asset, amountBaseUnits } = value
    const isWhole = typeof address === 'string' && typeof asset === 'string'
    if (isWhole && typeof amountBaseUnits === 'string') {
      return { address, asset, amountBaseUnits: BigInt(amountBaseUnits) }
    }
  }
  throw new Error('an order has an address, an asset and an amount')
}
