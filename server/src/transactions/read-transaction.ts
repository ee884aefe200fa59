import { Refusal } from '@florin/wire/errors.ts'
import type { Address } from '../chains/chain.ts'
import type { Inspected, SelfCustody } from '../chains/self-custody.ts'
import { limits } from '../kernel/limits.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The bytes of a transaction that a caller handed in. Refuses INVALID_PARAMETERS. */
export function transactionBytes(text: string): Uint8Array {
  if (!BASE64.test(text)) throw badTransaction('must be base64, with its padding')
  const bytes = new Uint8Array(Buffer.from(text, 'base64'))
  if (bytes.length > limits.transactionBytesMax) {
    throw badTransaction(`at most ${limits.transactionBytesMax} bytes`)
  }
  return bytes
}

/** What the bytes say. Refuses INVALID_PARAMETERS with the reason that the chain's reader gives. */
export function readTransaction(
  selfCustody: SelfCustody,
  bytes: Uint8Array,
  wallets: readonly Address[] = [],
): Inspected {
  const inspected = selfCustody.inspect(bytes, wallets)
  if (!inspected.ok) throw badTransaction(inspected.reason)
  return inspected
}

export function badTransaction(rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { transaction: rule } })
}
