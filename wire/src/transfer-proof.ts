import type { BaseUnits } from './amount.ts'
import type { NetworkId } from './network.ts'
import { hmacSha256, sha256 } from './sha256.ts'

/** The x402 scheme of the proofs that this service issues. */
export const TRANSFER_SCHEME = 'transfer'

/** What a proof says was paid, in plain fields. Addresses in their canonical spelling. */
export interface TransferTerms {
  /** `native`, or the token's address or mint. */
  readonly asset: string
  readonly sender: string
  readonly recipient: string
  readonly amountBaseUnits: BaseUnits
  readonly resource?: string
}

/** A proof of a transfer: the secret behind the commitment that the chain shows, and what it commits to. */
export interface TransferProof {
  readonly network: NetworkId
  /** 32 bytes. Whoever has them can claim the payment: print them nowhere. */
  readonly secret: Uint8Array
  /** The transaction's id on its chain, when it is known: a hint, not a claim. */
  readonly transaction?: string
  readonly terms: TransferTerms
}

const DOMAIN = 'florin-transfer-v1'
const LENGTH_BYTES = 4
const text = new TextEncoder()

/**
 * The secret that a payment's proof reveals: HMAC-SHA-256 of the payment id under the installation's key, 32 bytes.
 * It can be made again at any time, so nobody stores it.
 */
export function transferSecret(installationKey: Uint8Array, paymentId: string): Uint8Array {
  return hmacSha256(installationKey, text.encode(paymentId))
}

/** What a transfer's commitment binds. Addresses are raw bytes: 20 on EVM, 32 on Solana. */
export interface CommittedTransfer {
  readonly secret: Uint8Array
  readonly network: NetworkId
  /** Empty for the native currency. */
  readonly asset: Uint8Array
  readonly sender: Uint8Array
  readonly recipient: Uint8Array
  readonly amountBaseUnits: BaseUnits
  /** What is paid for; an absolute URL. */
  readonly resource?: string
}

/**
 * The 32 bytes that go on chain with a transfer: SHA-256 over length (four bytes, big-endian) and bytes of each item
 * in order. Throws RangeError when the resource is no absolute URL; `canonicalResource` tells beforehand.
 */
export function commitmentOf(transfer: CommittedTransfer): Uint8Array {
  const { secret, network, asset, sender, recipient, amountBaseUnits, resource } = transfer
  const items = [
    text.encode(DOMAIN),
    secret,
    text.encode(network),
    asset,
    sender,
    recipient,
    text.encode(amountBaseUnits.toString()),
    resourceBytes(resource),
  ]
  return sha256(...items.flatMap((item) => [lengthOf(item), item]))
}

/** A resource as commitments spell it: the WHATWG URL serialisation without fragment; undefined for no absolute URL. */
export function canonicalResource(resource: string): string | undefined {
  if (!URL.canParse(resource)) return undefined
  const url = new URL(resource)
  url.hash = ''
  return url.href
}

/** The `paymentProof` of a transfer: base64 of JSON in the shape of an x402 v1 payment header. */
export function encodePaymentProof({ network, secret, transaction, terms }: TransferProof): string {
  const { asset, sender, recipient, amountBaseUnits, resource } = terms
  const payload = {
    secret: hexOf(secret),
    ...(transaction === undefined ? {} : { transaction }),
    terms: {
      asset,
      sender,
      recipient,
      amountBaseUnits: amountBaseUnits.toString(),
      ...(resource === undefined ? {} : { resource }),
    },
  }
  return toBase64(JSON.stringify({ x402Version: 1, scheme: TRANSFER_SCHEME, network, payload }))
}

function resourceBytes(resource: string | undefined): Uint8Array {
  if (resource === undefined) return Uint8Array.of(0)
  const canonical = canonicalResource(resource)
  if (canonical === undefined) throw new RangeError('the resource is not an absolute URL')
  return Uint8Array.of(1, ...text.encode(canonical))
}

function lengthOf(item: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES)
  new DataView(bytes.buffer).setUint32(0, item.length)
  return bytes
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// btoa, because browsers have no Buffer; it speaks Latin-1, so UTF-8 is made first.
function toBase64(json: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(json)))
}
