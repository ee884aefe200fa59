import { termsDigest } from './claim.ts'
import type { Intake } from './intake.ts'

/** What a payment that reads well is claimed for. */
export function digestOf({
  requirements: { network },
  authorization,
  resource,
}: Intake): Uint8Array {
  const { asset, payTo, amount } = authorization
  return termsDigest({ network, asset: asset.asset, payTo, amount, resource })
}
