import { limits } from '../limits.ts'
import { declared } from './extensions.ts'
import { encodeHeader } from './header-json.ts'
import { signedOffers } from './offer-receipt.ts'
import type { PaywallSettings } from './price.ts'
import { tellProblem } from './tell-problem.ts'
import type { Requirement } from './requirement.ts'

/** An answer of the paywall itself, for any framework to write. */
export interface Said {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface Place {
  /** The address of the request without its fragment. */
  readonly resource: string
  readonly method: string
  readonly settings: PaywallSettings
}

/**
 * Asks for payment in both versions at once: version 2 in the header, version 1 in the body.
 * Source: x402 v1 and v2, HTTP transport.
 */
export async function demand(
  place: Place,
  requirements: readonly Requirement[],
  error: string,
): Promise<Said> {
  const offered = requirements.map((each) => requirementV2(each, place))
  const required = {
    x402Version: 2,
    error,
    resource: resourceOf(place),
    accepts: offered,
    extensions: { ...declared(place, requirements), ...(await offersOf(place, offered)) },
  }
  // A payment of version 1 does not say which of several it is for.
  const known = requirements.filter(
    ({ scheme, alias }) => scheme === 'exact' && alias !== undefined,
  )
  const first = known.filter(
    ({ network }, at) => known.findIndex((each) => each.network === network) === at,
  )
  const accepts = first.flatMap((each) => requirementV1(each, place) ?? [])
  return {
    status: 402,
    headers: { 'PAYMENT-REQUIRED': encodeHeader(required) },
    body: { x402Version: 1, error, accepts },
  }
}

/** Without a signature an offer is as good as before. */
async function offersOf(
  { resource, settings }: Place,
  offered: readonly ReturnType<typeof requirementV2>[],
): Promise<object> {
  const { receipts } = settings
  if (receipts === undefined) return {}
  try {
    return await signedOffers(receipts, resource, offered, settings)
  } catch (error) {
    void tellProblem(settings, 'not_signed', error)
    return {}
  }
}

/** What is sold, in the words of the seller. Source: x402 v2, ResourceInfo. */
export function resourceOf({ resource, settings }: Place) {
  const { description = '', mimeType = '' } = settings
  return {
    url: resource,
    ...(description === '' ? {} : { description }),
    ...(mimeType === '' ? {} : { mimeType }),
  }
}

/** A requirement of version 2. Money of `exact` moves before the handler runs, and a buyer can see that. */
export function requirementV2(
  { scheme, network, asset, amount, payTo, extra }: Requirement,
  { settings }: Place,
) {
  const { maxTimeoutSeconds = limits.paywallTimeoutSeconds } = settings
  const all = scheme === 'exact' ? { ...extra, paymentFlow: 'upfront' } : extra
  return { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra: all }
}

/** The same in version 1, which knows networks by name only. */
export function requirementV1(
  { alias, asset, amount, payTo, extra }: Requirement,
  { resource, settings }: Place,
) {
  if (alias === undefined) return undefined
  const { description = '', mimeType = '' } = settings
  const { maxTimeoutSeconds = limits.paywallTimeoutSeconds } = settings
  return {
    scheme: 'exact',
    network: alias,
    maxAmountRequired: amount,
    resource,
    description,
    mimeType,
    payTo,
    maxTimeoutSeconds,
    asset,
    extra,
  }
}
