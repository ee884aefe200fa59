import { fieldsOf, textOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { decodePaymentHeader } from '@florin/wire/x402/payment-header.ts'
import { parsePaymentRequirements } from '@florin/wire/x402/payment-requirements.ts'
import type { PaymentRequirements, X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { OutboundAnswer } from '../outbound/outbound.ts'
import { limits } from '../kernel/limits.ts'
import { unpacked } from './unpacked.ts'

/** One way in which a seller would be paid. */
export interface Offer {
  readonly requirements: PaymentRequirements
  /** As the seller wrote it: version 2 wants it repeated to the letter. */
  readonly written: Fields
}

/** What a seller asks for with 402. Nothing in it is believed but what can be held against what the caller asked for. */
export interface Demand {
  readonly x402Version: X402Version
  readonly offers: readonly Offer[]
  /** Where a seller of version 2 says that it is; null when it does not. In version 1 each offer says it. */
  readonly place: string | null
  /** How it describes what is there, to be sent back as it came: by that its facilitator lists it. Null without a place. */
  readonly resource: Fields | null
  /** What it added to version 2, to be sent back as it came. */
  readonly extensions: Fields | null
}

/**
 * Reads a 402: version 2 by its header, else what the body says, which its seller may keep packed although nobody asked for that. What is not packed as it says is read as
 * it came: proxies unpack and keep the header. Undefined when no demand can be read. Source: x402 v1 and v2, HTTP.
 */
export async function readDemand({ headers, body }: OutboundAnswer): Promise<Demand | undefined> {
  const header = headers.get('payment-required')
  const fields =
    header === undefined
      ? ((await packedJsonOf(body, headers.get('content-encoding'))) ?? jsonOf(body))
      : decodePaymentHeader(header)
  const version = fields?.['x402Version']
  if (fields === undefined || (version !== 1 && version !== 2)) return undefined
  if (header !== undefined && version !== 2) return undefined
  const { accepts } = fields
  if (!Array.isArray(accepts)) return undefined
  const listed: readonly unknown[] = accepts
  const offers = listed.slice(0, limits.fetchOffersMax).flatMap((each) => {
    const read = parsePaymentRequirements(each, version)
    const written = fieldsOf(each)
    return read.ok && written !== undefined ? [{ requirements: read.requirements, written }] : []
  })
  const resource = version === 2 ? fieldsOf(fields['resource']) : undefined
  const place = textOf(resource?.['url']) ?? null
  return {
    x402Version: version,
    offers,
    place,
    resource: place === null ? null : (resource ?? null),
    extensions: fieldsOf(fields['extensions']) ?? null,
  }
}

async function packedJsonOf(body: Uint8Array, encoding?: string): Promise<Fields | undefined> {
  const plain = await unpacked(body, encoding, limits.fetchDemandBytesMax)
  return plain && jsonOf(plain)
}

function jsonOf(body: Uint8Array): Fields | undefined {
  if (body.byteLength > limits.fetchDemandBytesMax) return undefined
  try {
    return fieldsOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
  } catch {
    return undefined
  }
}
