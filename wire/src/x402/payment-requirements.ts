import type { BaseUnits } from '../amount.ts'
import { readNetworkName } from '../network-alias.ts'
import { parseNetworkId } from '../network.ts'
import type { NetworkId } from '../network.ts'
import { fieldsOf, textOf, unitsOf } from './fields.ts'
import type { Fields } from './fields.ts'

export const X402_VERSIONS = [1, 2] as const
export type X402Version = (typeof X402_VERSIONS)[number]

/** Deposits into an escrow, spent by signatures and claimed in batches. Source: x402 v2, `batch-settlement` on EVM. */
export const BATCH_SETTLEMENT = 'batch-settlement'

const TIMEOUT_SECONDS_MAX = 30 * 24 * 3_600

/** What a seller asks to be paid, one shape for both versions. Source: x402 v1 and v2, PaymentRequirements. */
export interface PaymentRequirements {
  readonly x402Version: X402Version
  readonly scheme: string
  readonly network: NetworkId
  /** As the seller wrote it (`base-sepolia` in v1); answers repeat it. */
  readonly networkName: string
  readonly asset: string
  readonly payTo: string
  /** `maxAmountRequired` in v1. */
  readonly amount: BaseUnits
  readonly maxTimeoutSeconds: number
  /** v1 only; v2 names the resource beside the payment. */
  readonly resource: string | null
  readonly extra: Fields
}

export type RequirementsOutcome =
  | { readonly ok: true; readonly requirements: PaymentRequirements }
  | { readonly ok: false; readonly reason: 'invalid_payment_requirements' | 'invalid_network' }

/** Reads requirements of a version. Fields nobody asked for are ignored, as x402 allows extensions. */
export function parsePaymentRequirements(
  value: unknown,
  x402Version: X402Version,
): RequirementsOutcome {
  const invalid = { ok: false, reason: 'invalid_payment_requirements' } as const
  const fields = fieldsOf(value)
  if (fields === undefined) return invalid
  const scheme = textOf(fields['scheme'])
  const networkName = textOf(fields['network'])
  const asset = textOf(fields['asset'])
  const payTo = textOf(fields['payTo'])
  const amount = unitsOf(fields[x402Version === 1 ? 'maxAmountRequired' : 'amount'])
  const maxTimeoutSeconds = secondsOf(fields['maxTimeoutSeconds'], scheme)
  const extra = fieldsOf(fields['extra'] ?? {})
  if (scheme === undefined || networkName === undefined) return invalid
  if (asset === undefined || payTo === undefined || amount === undefined) return invalid
  if (maxTimeoutSeconds === undefined || extra === undefined) return invalid
  const network = x402Version === 1 ? readNetworkName(networkName) : parseNetworkId(networkName)
  if (network === undefined) return { ok: false, reason: 'invalid_network' }
  const resource = x402Version === 1 ? (textOf(fields['resource']) ?? null) : null
  return {
    ok: true,
    requirements: {
      x402Version,
      scheme,
      network,
      networkName,
      asset,
      payTo,
      amount,
      maxTimeoutSeconds,
      resource,
      extra,
    },
  }
}

/** Nothing waits for a claim of what was signed before, so the stock server of `batch-settlement` gives it no time. Source: @x402/evm 2.27, its channel manager. */
function secondsOf(value: unknown, scheme: string | undefined): number | undefined {
  const least = scheme === BATCH_SETTLEMENT ? 0 : Number.MIN_VALUE
  const fits = typeof value === 'number' && value >= least && value <= TIMEOUT_SECONDS_MAX
  return fits ? value : undefined
}
