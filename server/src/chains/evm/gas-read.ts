import type { Explain } from './markets/router-calls.ts'
import { SWAP_GAS_MAX } from './markets/swap-gas.ts'
import { settledKey, withoutCommitments } from './call-summary.ts'
import type { AskedCall } from './call-summary.ts'

/** A plain transfer takes a tenth of it. One that offers more could fill its receipt with whatever its recipient's code wants to log. */
export const TRANSFER_GAS_READ_MAX = 600_000n
/** What a swap is built with at most, the room above a trial of it included. */
export const SWAP_GAS_READ_MAX = 2n * SWAP_GAS_MAX

/**
 * What is said of bytes that offer more gas than what is read of their like in a block: they would pay, and be told as something else. Nothing
 * where the chain's own word decides (an authorization), nor of an allowance, which nobody looks for.
 */
export function unreadGas(
  call: Pick<AskedCall, 'to' | 'data'>,
  gas: bigint,
  explain: Explain | undefined,
): readonly string[] {
  const { to, data } = call
  const kind = to === null ? undefined : explain?.(to, withoutCommitments(data).body)?.kind
  if (kind === 'allowance' || settledKey(call) !== null) return []
  const most = kind === 'swap' ? SWAP_GAS_READ_MAX : TRANSFER_GAS_READ_MAX
  return gas > most
    ? [`offers ${gas} gas, and with more than ${most} it is not told in its block`]
    : []
}
