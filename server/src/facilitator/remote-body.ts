import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Presented } from './intake.ts'
import type { RemoteBody } from './remote.ts'

/** A payment for another facilitator: as it came, with the requirements that the seller's own words make. It was read before. */
export function remoteBody({
  paymentPayload,
  paymentRequirements,
  resource,
}: Presented): RemoteBody {
  const payload = fieldsOrThrow(paymentPayload)
  const requirements = fieldsOrThrow(paymentRequirements)
  const x402Version = payload['x402Version'] === 1 ? 1 : 2
  // Version 1 wants these three, and they decide nothing.
  const said = { resource: resource ?? '', description: '', mimeType: '' }
  return {
    x402Version,
    paymentPayload: payload,
    paymentRequirements: x402Version === 1 ? { ...said, ...requirements } : requirements,
  }
}

function fieldsOrThrow(value: unknown): Fields {
  const fields = fieldsOf(value)
  if (fields === undefined) throw new Error('a payment that was read is no object')
  return fields
}
