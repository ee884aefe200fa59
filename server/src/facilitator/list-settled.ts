import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { BATCH_SETTLEMENT } from '@florin/wire/x402/payment-requirements.ts'
import type { PaymentRequirements } from '@florin/wire/x402/payment-requirements.ts'
import { readListing } from '../catalogue/read-listing.ts'
import type { Accept, ReadListing } from '../catalogue/listing.ts'
import type { Chain } from '../chains/chain.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { UPTO } from './intake.ts'
import type { Presented } from './intake.ts'
import type { Counted, Lister } from './lister.ts'
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
  return verified.ok ? wouldBeListed(verified.intake.chain, presented) : undefined
}

/** What would become of an offer whose payment is not settled yet. */
export function wouldBeListed(chain: Chain, presented: Presented): BazaarSaid | undefined {
  return beforehand(readFor(presented, chain))
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
  const { chain, requirements, authorization } = intake
  if (settled.kind === 'pending') return wouldBeListed(chain, presented)
  const paid = {
    ...{ chain, requirements, payTo: authorization.payTo, asset: authorization.asset.asset },
    // What `upto` took is the price of one visit; what buyers sign for is the most.
    amount: authorization.stored['permitted'] ?? `${requirements.amount}`,
  }
  return listPaid(list, { accountId, counted: { paymentId } }, paid, presented)
}

/** How it was paid. */
export interface Paid {
  readonly chain: Chain
  readonly requirements: PaymentRequirements
  readonly payTo: string
  readonly asset: string
  /** Base units, decimal text: what buyers sign for. */
  readonly amount: string
}

/** Has what was paid for listed, where its seller offers it. */
export function listPaid(
  list: Lister,
  whose: { readonly accountId: AccountId; readonly counted: Counted },
  paid: Paid,
  presented: Presented,
): BazaarSaid | undefined {
  const read = readFor(presented, paid.chain)
  if (read.kind !== 'listing') return beforehand(read)
  const accept = acceptOf(paid, presented)
  if (accept === undefined) return { status: 'rejected', rejectedReason: 'too_large' }
  const isTaken = list({ ...whose, listing: { ...read.listing, accept } })
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

/** What a server adds for one buyer who is behind: how that buyer's channel stands, and what it has signed. Source: @x402/evm 2.27, `batch-settlement`. */
const OF_ONE_BUYER = ['channelState', 'voucherState']

/** Undefined when the seller wrote more than is kept. */
function acceptOf(
  { requirements, payTo, asset, amount }: Paid,
  { paymentRequirements }: Presented,
): Accept | undefined {
  const { network, networkName, scheme } = requirements
  const said = fieldsOf(paymentRequirements) ?? {}
  const requirement = {
    ...{ scheme, network: networkName, asset, payTo },
    ...Object.fromEntries(SHOWN.flatMap((name) => (name in said ? [[name, said[name]]] : []))),
    ...(scheme === UPTO ? { amount } : {}),
    ...(scheme === BATCH_SETTLEMENT ? { extra: forEveryBuyer(requirements.extra) } : {}),
    // Version 1 says there what version 2 says beside it.
    ...(requirements.x402Version === 1
      ? { resource: requirements.resource, description: said['description'] ?? '' }
      : {}),
  }
  const text = JSON.stringify(requirement)
  const isKept =
    text.length <= limits.catalogueRequirementCharactersMax && !text.includes(String.raw`\u0000`)
  return isKept ? { network, scheme, asset, payTo, amount, requirement } : undefined
}

function forEveryBuyer(extra: Fields): Fields {
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !OF_ONE_BUYER.includes(name)))
}
