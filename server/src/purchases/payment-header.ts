import { PAYMENT_IDENTIFIER } from '@florin/wire/x402/payment-identifier.ts'
import { encodePaymentResponse } from '@florin/wire/x402/payment-header.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Demand, Offer } from './demand.ts'
import type { Purchase } from './purchase.ts'

/**
 * What the seller is shown, in the version in which it asked; `added` goes into the extensions that it declared. Where it takes names the
 * payment has its own, one for ever. Source: x402 v1 and v2, PaymentPayload; payment-identifier.
 */
export function paymentHeader(
  { x402Version, resource, extensions }: Demand,
  { requirements, written }: Offer,
  payload: Fields,
  paymentId: PaymentId,
  added: Fields = {},
): Pick<Purchase, 'headerName' | 'header'> {
  if (x402Version === 1) {
    const { scheme, networkName: network } = requirements
    const header = encodePaymentResponse({ x402Version, scheme, network, payload })
    return { headerName: 'X-PAYMENT', header }
  }
  const header = encodePaymentResponse({
    x402Version,
    ...(resource === null ? {} : { resource }),
    accepted: written,
    payload,
    ...(extensions === null
      ? {}
      : { extensions: withAdded(extensions, { ...added, ...named(extensions, paymentId) }) }),
  })
  return { headerName: 'PAYMENT-SIGNATURE', header }
}

function named(declared: Fields, id: PaymentId): Fields {
  const takesNames = fieldsOf(declared[PAYMENT_IDENTIFIER]) !== undefined
  return takesNames ? { [PAYMENT_IDENTIFIER]: { info: { id } } } : {}
}

/** What the seller declared, with what the wallet adds to it: the seller's own words come back as it wrote them. */
function withAdded(declared: Fields, added: Fields): Fields {
  const both = Object.entries(added).map(([name, value]) => {
    const [theirs, ours] = [fieldsOf(declared[name]), fieldsOf(value)]
    const info = { ...fieldsOf(theirs?.['info']), ...fieldsOf(ours?.['info']) }
    return [name, { ...theirs, ...ours, info }] as const
  })
  return { ...declared, ...Object.fromEntries(both) }
}
