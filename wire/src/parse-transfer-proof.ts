import { baseUnits } from './amount.ts'
import type { BaseUnits } from './amount.ts'
import { readNetworkName } from './network-alias.ts'
import { TRANSFER_SCHEME } from './transfer-proof.ts'
import type { TransferProof, TransferTerms } from './transfer-proof.ts'

const PROOF_CHARACTERS_MAX = 16 * 1024
const FIELD_CHARACTERS_MAX = 2_048
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const SECRET = /^[0-9a-f]{64}$/
const AMOUNT = /^[1-9][0-9]{0,77}$/

/**
 * Reads a `paymentProof` of the scheme `transfer` in x402 v1 or v2 shape, else undefined: the proof is of another
 * scheme, or nothing that this scheme can be. Fields nobody asked for are ignored, as x402 allows extensions.
 */
export function parseTransferProof(proof: string): TransferProof | undefined {
  return proof.length <= PROOF_CHARACTERS_MAX ? transferProofOf(fromBase64(proof)) : undefined
}

/** The same of a header that is decoded already. */
export function transferProofOf(header: unknown): TransferProof | undefined {
  const requirement = isObject(header) ? requirementOf(header) : undefined
  if (!isObject(header) || requirement?.['scheme'] !== TRANSFER_SCHEME) return undefined
  const network = readNetworkName(textOf(requirement['network']) ?? '')
  const { payload } = header
  if (network === undefined || !isObject(payload)) return undefined
  const secret = textOf(payload['secret'])
  const terms = termsFrom(payload['terms'])
  if (secret === undefined || !SECRET.test(secret) || terms === undefined) return undefined
  const { transaction } = payload
  if (transaction === undefined) return { network, secret: bytesOf(secret), terms }
  const named = textOf(transaction)
  if (named === undefined) return undefined
  return { network, secret: bytesOf(secret), transaction: named, terms }
}

/** Where scheme and network stand: at the top in v1, under `accepted` in v2. */
function requirementOf(header: Fields): Fields | undefined {
  switch (header['x402Version']) {
    case 1:
      return header
    case 2:
      return isObject(header['accepted']) ? header['accepted'] : undefined
    default:
      return undefined
  }
}

function termsFrom(value: unknown): TransferTerms | undefined {
  if (!isObject(value)) return undefined
  const asset = textOf(value['asset'])
  const sender = textOf(value['sender'])
  const recipient = textOf(value['recipient'])
  const amount = textOf(value['amountBaseUnits'])
  if (asset === undefined || sender === undefined || recipient === undefined) return undefined
  const amountBaseUnits = amount === undefined ? undefined : amountFrom(amount)
  if (amountBaseUnits === undefined) return undefined
  const terms = { asset, sender, recipient, amountBaseUnits }
  if (value['resource'] === undefined) return terms
  const resource = textOf(value['resource'])
  return resource === undefined ? undefined : { ...terms, resource }
}

function amountFrom(text: string): BaseUnits | undefined {
  if (!AMOUNT.test(text)) return undefined
  try {
    return baseUnits(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= FIELD_CHARACTERS_MAX
    ? value
    : undefined
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function fromBase64(proof: string): unknown {
  if (!BASE64.test(proof)) return undefined
  const bytes = Uint8Array.from(atob(proof), (character) => character.charCodeAt(0))
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
