import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'

/** What the faucet is to pay. */
export interface SolanaOrder {
  readonly address: string
  readonly asset: 'native' | 'USDC'
  readonly amountBaseUnits: bigint
}

/** For the way between the processes, whose messages know no bigint. */
export function solanaOrderJson(order: SolanaOrder): JsonObject {
  return { ...order, amountBaseUnits: order.amountBaseUnits.toString() }
}

export function readSolanaOrder(value: Json): SolanaOrder {
  if (isJsonObject(value)) {
    const { address, asset, amountBaseUnits } = value
    const isAsset = asset === 'native' || asset === 'USDC'
    if (typeof address === 'string' && isAsset && typeof amountBaseUnits === 'string') {
      return { address, asset, amountBaseUnits: BigInt(amountBaseUnits) }
    }
  }
  throw new Error('an order has an address, an asset and an amount')
}
