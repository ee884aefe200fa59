import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Paid, PaywallSettings } from './price.ts'
import { base64Url } from './receipt-signer.ts'
import type { ReceiptSigner } from './receipt-signer.ts'
import { signInTime } from './sign-in-time.ts'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'
const SIGNED = {
  type: 'object',
  properties: { format: { type: 'string' }, signature: { type: 'string' } },
  required: ['format', 'signature'],
}
const schemaOf = (name: string, schema: object) => ({
  ...{ $schema: DRAFT, type: 'object' },
  ...{ properties: { [name]: schema }, required: [name] },
})
const OFFERS = schemaOf('offers', { type: 'array', items: SIGNED })
const RECEIPT = schemaOf('receipt', SIGNED)
const VERSION = 1

/** What is asked for in one way, as version 2 says it. */
interface Asked {
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amount: string
  readonly maxTimeoutSeconds: number
}

/** What the seller asks for, signed by its key. Source: x402 v2, offer-receipt, format `jws`. */
export async function signedOffers(
  signer: ReceiptSigner,
  resourceUrl: string,
  accepts: readonly Asked[],
  { clock = systemClock }: Pick<PaywallSettings, 'clock'>,
): Promise<Readonly<Record<string, unknown>>> {
  const offers = await Promise.all(
    accepts.map(async ({ maxTimeoutSeconds, ...asked }, acceptIndex) => {
      const { scheme, network, asset, payTo, amount } = asked
      const validUntil = Math.floor(clock.now() / 1000) + maxTimeoutSeconds
      const offer = { version: VERSION, resourceUrl, scheme, network, asset, payTo, amount }
      return {
        format: 'jws',
        acceptIndex,
        signature: await jws(signer, { ...offer, validUntil }, clock),
      }
    }),
  )
  return { 'offer-receipt': { info: { offers }, schema: OFFERS } }
}

/** That a payment was taken for the place, signed by the seller's key. Names the transaction only where the seller wants that. */
export async function signedReceipt(
  signer: ReceiptSigner,
  { resource, transaction }: Paid,
  { payer, network }: { readonly payer: string; readonly network: string },
  { clock = systemClock, receiptsNameTransactions }: PaywallSettings,
): Promise<Readonly<Record<string, unknown>>> {
  const issuedAt = Math.floor(clock.now() / 1000)
  const named = receiptsNameTransactions === true && transaction !== '' ? { transaction } : {}
  const said = { version: VERSION, network, resourceUrl: resource, payer, issuedAt, ...named }
  const receipt = { format: 'jws', signature: await jws(signer, said, clock) }
  return { 'offer-receipt': { info: { receipt }, schema: RECEIPT } }
}

/** Source: RFC 7515, compact; the payload's names are sorted, as RFC 8785 has them. */
async function jws(signer: ReceiptSigner, payload: object, clock: Clock): Promise<string> {
  const part = (value: object) => base64Url(new TextEncoder().encode(JSON.stringify(value)))
  const sorted = Object.entries(payload).sort(([one], [other]) => (one < other ? -1 : 1))
  const text = `${part({ alg: signer.algorithm, kid: signer.kid })}.${part(Object.fromEntries(sorted))}`
  return `${text}.${base64Url(await signInTime(signer, new TextEncoder().encode(text), clock))}`
}
