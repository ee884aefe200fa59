import { ErrorBody } from '@florin/wire/error-body.ts'
import { NetworkAsset, NetworkFees, NetworkInfo } from '@florin/wire/network-list.ts'
import { Attempt, Failure } from '@florin/wire/payment.ts'
import { Balance, Wallet, WalletPolicy } from '@florin/wire/wallet.ts'

/** Things that stand in many answers and are written once in the document, under these names. */
export const NAMED_SCHEMAS: Readonly<Record<string, object>> = {
  Error: ErrorBody,
  Attempt,
  Failure,
  Wallet,
  Balance,
  WalletPolicy,
  Network: NetworkInfo,
  NetworkAsset,
  NetworkFees,
}

/** The name of a schema; equal schemas are one, wherever they were made and whatever is said of them there. */
export function schemaNames(): (schema: object) => string | undefined {
  const names = new Map(
    Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [keyOf(schema), name]),
  )
  return (schema) => names.get(keyOf(schema))
}

function keyOf(schema: object): string {
  return JSON.stringify({ ...schema, description: undefined })
}
