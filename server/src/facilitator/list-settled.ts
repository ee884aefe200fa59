import { fieldsOf } from '@florin/wire/x402/fields.ts'
import { readListing } from '../catalogue/read-listing.ts'
import type { Accept, ReadListing } from '../catalogue/listing.ts'
import type { Chain } from '../chains/chain.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { UPTO } from './intake.ts'
import type { Intake, Presented } from './intake.ts'
import type { Lister } from './lister.ts'
import type { Settled } from './settling.ts'
import type { Verified } from './verify.ts'

/** What became of an offer to be listed, in the words of x402. Source: 2.27, EXTENSION-RESPONSES. */
export type BazaarSaid =
  | { readonly status: 'processing' }
  | { readonly status: 'rejected'; readonly rejectedReason: string }

/** The header that tells a seller of its extensions, and never a buyer; none when there is nothing to tell. */
export function extensionHeaders(bazaar: BazaarSaid | undefined): Readonly<Record<string, string>> {
  if (bazaar === undefined) return {}
  const text = JSON.stringify({ bazaar })
  return { 'extension-responses': Buffer.from(text).toString('base64') }
}

/** What would become of the offer once its payment is settled: verifying lists nothing. */
export function bazaarOfVerified(verified: Verified, presented: Presented): BazaarSaid | undefined {
  return verified.ok ? beforehand(readFor(presented, verified.intake.chain)) : undefined
}

/**
 * Has what a payment was settled for listed, at the first time that its success is given out. Nobody waits for a listing, and none fails
 * a settlement.
 */
export function listSettled(
  list: Lister,
  accountId: AccountId,
  settled: Settled,
  presented: Presented,
): BazaarSaid | undefined {
  if (settled.kind !== 'settled' && settled.kind !== 'pending') return undefined
  const { intake, paymentId } = settled
  const read = readFor(presented, intake.chain)
  if (settled.kind === 'pending' || read.kind !== 'listing') return beforehand(read)
  const accept = acceptOf(intake, presented)
  if (accept === undefined) return { status: 'rejected', rejectedReason: 'too_large' }
  const isTaken = list({ accountId, paymentId, listing: { ...read.listing, accept } })
  return isTaken ? beforehand(read) : { status: 'rejected', rejectedReason: 'not_stored' }
}

function readFor(presented: Presented, { config }: Chain): ReadListing {
  return readListing(presented, { anyHost: config.sandbox })
}

function beforehand(read: ReadListing): BazaarSaid | undefined {
  switch (read.kind) {
    case 'none':
      return undefined
    case 'listing':
      return { status: 'processing' }
    case 'rejected':
      return { status: 'rejected', rejectedReason: read.reason }
    default:
      return read satisfies never
  }
}

/** Fields of requirements that buyers read, in either version; nothing else of a stranger's is kept. */
const SHOWN = ['amount', 'maxAmountRequired', 'maxTimeoutSeconds', 'mimeType', 'extra']

/** How it was paid; undefined when the seller wrote more than is kept. */
function acceptOf(intake: Intake, { paymentRequirements }: Presented): Accept | undefined {
  const { requirements, authorization } = intake
  const { network, networkName, scheme } = requirements
  const payTo: string = authorization.payTo
  const { asset } = authorization.asset
  const said = fieldsOf(paymentRequirements) ?? {}
  // What `upto` took is the price of one visit; what buyers sign for is the most.
  const most = authorization.stored['permitted'] ?? `${requirements.amount}`
  const requirement = {
    ...{ scheme, network: networkName, asset, payTo },
    ...Object.fromEntries(SHOWN.flatMap((name) => (name in said ? [[name, said[name]]] : []))),
    ...(scheme === UPTO ? { amount: most } : {}),
    // Version 1 says there what version 2 says beside it.
    ...(requirements.x402Version === 1
      ? { resource: requirements.resource, description: said['description'] ?? '' }
      : {}),
  }
  const text = JSON.stringify(requirement)
  const isKept =
    text.length <= limits.catalogueRequirementCharactersMax && !text.includes(String.raw`\u0000`)
  return isKept ? { network, scheme, asset, payTo, amount: most, requirement } : undefined
}
