import { readNetworkName } from '../network-alias.ts'
import type { NetworkId } from '../network.ts'
import { fieldsOf, textOf } from './fields.ts'
import type { Fields } from './fields.ts'
import { parsePaymentRequirements, X402_VERSIONS } from './payment-requirements.ts'
import type { PaymentRequirements, X402Version } from './payment-requirements.ts'

/** What a payer sends, one shape for both versions; `payload` is the scheme's own. Source: x402 v1 and v2, PaymentPayload. */
export interface PaymentPayload {
  readonly x402Version: X402Version
  readonly scheme: string
  readonly network: NetworkId
  readonly payload: Fields
  /** v2: the requirement that the payer says it accepted. Its word, not the seller's. */
  readonly accepted: PaymentRequirements | null
  /** v2: URL of what is paid for, as the payer repeats it. */
  readonly resource: string | null
  readonly extensions: Fields
}

export type PayloadOutcome =
  | { readonly ok: true; readonly payment: PaymentPayload }
  | {
      readonly ok: false
      readonly reason: 'invalid_payload' | 'invalid_x402_version' | 'invalid_network'
    }

/** Reads a decoded payment of either version. */
export function parsePaymentPayload(value: unknown): PayloadOutcome {
  const invalid = { ok: false, reason: 'invalid_payload' } as const
  const fields = fieldsOf(value)
  if (fields === undefined) return invalid
  const x402Version = X402_VERSIONS.find((version) => version === fields['x402Version'])
  if (x402Version === undefined) return { ok: false, reason: 'invalid_x402_version' }
  const payload = fieldsOf(fields['payload'])
  if (payload === undefined) return invalid
  const extensions = fieldsOf(fields['extensions'] ?? {})
  if (extensions === undefined) return invalid
  if (x402Version === 1) {
    const scheme = textOf(fields['scheme'])
    const network = readNetworkName(textOf(fields['network']) ?? '')
    if (scheme === undefined) return invalid
    if (network === undefined) return { ok: false, reason: 'invalid_network' }
    const none = { accepted: null, resource: null }
    return { ok: true, payment: { x402Version, scheme, network, payload, extensions, ...none } }
  }
  const read = parsePaymentRequirements(fields['accepted'], x402Version)
  if (!read.ok) {
    return read.reason === 'invalid_network' ? { ok: false, reason: 'invalid_network' } : invalid
  }
  const accepted = read.requirements
  const { scheme, network } = accepted
  const resource = textOf(fieldsOf(fields['resource'])?.['url']) ?? null
  return {
    ok: true,
    payment: { x402Version, scheme, network, payload, accepted, resource, extensions },
  }
}
