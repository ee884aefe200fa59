import { encodePaymentResponse } from '@florin/wire/x402/payment-header.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Demand, Offer } from './demand.ts'
import type { Purchase } from './purchase.ts'

/** What the seller is shown, in the version in which it asked. Source: x402 v1 and v2, PaymentPayload. */
export function paymentHeader(
  { x402Version, resource, extensions }: Demand,
  { requirements, written }: Offer,
  payload: Fields,
): Pick<Purchase, 'headerName' | 'header'> {
  if (x402Version === 1) {
    const { scheme, networkName: network } = requirements
    const header = encodePaymentResponse({ x402Version, scheme, network, payload })
    return { headerName: 'X-PAYMENT', header }
  }
  const header = encodePaymentResponse({
    x402Version,
    ...(resource === null ? {} : { resource: { url: resource } }),
    accepted: written,
    payload,
    ...(extensions === null ? {} : { extensions }),
  })
  return { headerName: 'PAYMENT-SIGNATURE', header }
}
