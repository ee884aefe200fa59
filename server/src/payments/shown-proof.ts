import { transferProofOf } from '@florin/wire/parse-transfer-proof.ts'
import { TRANSFER_SCHEME } from '@florin/wire/transfer-proof.ts'
import type { TransferProof } from '@florin/wire/transfer-proof.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { decodePaymentHeader } from '@florin/wire/x402/payment-header.ts'
import { parsePaymentPayload } from '@florin/wire/x402/payment-payload.ts'
import type { PaymentPayload } from '@florin/wire/x402/payment-payload.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'

/** A buyer's proof, decoded. Nothing that it says is believed yet. */
export type ShownProof =
  | {
      readonly scheme: 'exact'
      readonly x402Version: X402Version
      readonly header: Fields
      readonly payment: PaymentPayload
    }
  | {
      readonly scheme: 'transfer'
      readonly x402Version: X402Version
      readonly proof: TransferProof
    }

export type ShownOutcome =
  | { readonly ok: true; readonly shown: ShownProof }
  | { readonly ok: false; readonly reason: Reason }

/** Decodes what a buyer sent, in either version and either alphabet of base64; what counts is its content. */
export function readShownProof(text: string): ShownOutcome {
  const header = decodePaymentHeader(text)
  if (header === undefined) return { ok: false, reason: 'invalid_payload' }
  const scheme = header['scheme'] ?? fieldsOf(header['accepted'])?.['scheme']
  if (scheme === TRANSFER_SCHEME) {
    const proof = transferProofOf(header)
    if (proof === undefined) return { ok: false, reason: 'invalid_payload' }
    const x402Version = header['x402Version'] === 2 ? 2 : 1
    return { ok: true, shown: { scheme, x402Version, proof } }
  }
  const read = parsePaymentPayload(header)
  if (!read.ok) return read
  const { payment } = read
  return {
    ok: true,
    shown: { scheme: 'exact', x402Version: payment.x402Version, header, payment },
  }
}
