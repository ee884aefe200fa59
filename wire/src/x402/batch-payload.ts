import type { BaseUnits } from '../amount.ts'
import { fieldsOf, unitsOf } from './fields.ts'
import type { Fields } from './fields.ts'

/** A channel of the escrow: whoever names all of it names the same one. Source: x402 v2, `batch-settlement` on EVM, ChannelConfig. */
export interface ChannelConfig {
  readonly payer: string
  /** Who signs vouchers; the zero address where the payer does. */
  readonly payerAuthorizer: string
  readonly receiver: string
  /** Who signs claims and refunds. */
  readonly receiverAuthorizer: string
  readonly token: string
  readonly withdrawDelaySeconds: bigint
  /** 0x and 64 hex digits, lower case. */
  readonly salt: string
}

/** What a payer signs with each request: all that may be claimed of its channel so far. */
export interface Voucher {
  /** 0x and 64 hex digits, lower case. */
  readonly channelId: string
  readonly maxClaimableAmount: BaseUnits
  /** 0x and hex digits, lower case. */
  readonly signature: string
}

/** A row of a claim: of that voucher, so much. */
export interface VoucherClaim {
  readonly channel: ChannelConfig
  readonly maxClaimableAmount: BaseUnits
  readonly signature: string
  readonly totalClaimed: BaseUnits
}

/** A deposit by EIP-3009, as its payer signed it. */
export interface TokenAuthorization {
  readonly validAfterSeconds: bigint
  readonly validBeforeSeconds: bigint
  /** The nonce is made of it and of the channel's id. 0x and 64 hex digits, lower case. */
  readonly salt: string
  readonly signature: string
}

/** A deposit by Permit2, as its payer signed it. */
export interface Permit2Authorization {
  readonly from: string
  readonly token: string
  readonly permitted: BaseUnits
  readonly spender: string
  readonly nonce: bigint
  readonly deadlineSeconds: bigint
  /** As the payer wrote it into the witness, lower case. */
  readonly channelId: string
  readonly signature: string
}

/** What may move a deposit into a channel: which of them does is for the seller's terms to say. */
export interface DepositAuthorizations {
  readonly eip3009: TokenAuthorization | undefined
  readonly permit2: Permit2Authorization | undefined
}

/** The payloads of the scheme. Source: x402 v2, `batch-settlement` on EVM; @x402/evm 2.27. */
export type BatchPayload =
  | {
      readonly type: 'deposit'
      readonly channel: ChannelConfig
      readonly voucher: Voucher
      readonly amount: BaseUnits
      readonly authorizations: DepositAuthorizations
    }
  | { readonly type: 'voucher'; readonly channel: ChannelConfig; readonly voucher: Voucher }
  | {
      readonly type: 'refund'
      readonly channel: ChannelConfig
      readonly voucher: Voucher
      /** Left out: all that is unclaimed. */
      readonly amount: BaseUnits | undefined
      /** As the seller's server completes what the payer asked for; left out before that. */
      readonly completed?: CompletedRefund
    }
  | {
      readonly type: 'claim'
      readonly claims: readonly VoucherClaim[]
      readonly signature: string | undefined
    }
  | { readonly type: 'settle'; readonly receiver: string; readonly token: string }

/** What the receiver's side adds to a refund. */
export interface CompletedRefund {
  readonly nonce: bigint
  /** Claimed before it, in the same transaction. */
  readonly claims: readonly VoucherClaim[]
  readonly refundSignature: string | undefined
  readonly claimSignature: string | undefined
}

/** Rows of one claim, as many as the body of a request holds. */
const CLAIMS_MAX = 128
const UINT128_MAX = 2n ** 128n - 1n
const UINT40_MAX = 2 ** 40 - 1
const WORD = /^0x[0-9a-fA-F]{64}$/
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/
const SIGNATURE_CHARACTERS_MAX = 2 + 2 * 4_096

type Spelling = (text: string) => string | undefined

/**
 * Reads it; undefined where a part is missing or malformed, and `unknown` where it is of a type that the scheme does not have. `spelling` gives an address in its one spelling,
 * and undefined for what is none.
 */
export function parseBatchPayload(
  payload: Fields,
  spelling: Spelling,
): BatchPayload | 'unknown' | undefined {
  switch (payload['type']) {
    case 'deposit':
      return depositOf(payload, spelling)
    case 'voucher':
      return ofChannel(payload, spelling, 'voucher')
    case 'refund':
      return refundOf(payload, spelling)
    case 'claim':
      return claimOf(payload, spelling)
    case 'settle': {
      const receiver = addressOf(payload['receiver'], spelling)
      const token = addressOf(payload['token'], spelling)
      if (receiver === undefined || token === undefined) return undefined
      return { type: 'settle', receiver, token }
    }
    default:
      return 'unknown'
  }
}

function depositOf(payload: Fields, spelling: Spelling): BatchPayload | undefined {
  const of = ofChannel(payload, spelling, 'deposit')
  const deposit = fieldsOf(payload['deposit'])
  const amount = uint128Of(deposit?.['amount'])
  const given = fieldsOf(deposit?.['authorization'])
  if (of === undefined || amount === undefined || given === undefined) return undefined
  const { erc3009Authorization, permit2Authorization } = given
  const eip3009 = byTokenOf(fieldsOf(erc3009Authorization))
  const permit2 = byPermit2Of(fieldsOf(permit2Authorization), spelling)
  if (erc3009Authorization !== undefined && eip3009 === undefined) return undefined
  if (permit2Authorization !== undefined && permit2 === undefined) return undefined
  return { ...of, amount, authorizations: { eip3009, permit2 } }
}

function byTokenOf(fields: Fields | undefined): TokenAuthorization | undefined {
  const validAfterSeconds = unitsOf(fields?.['validAfter'])
  const validBeforeSeconds = unitsOf(fields?.['validBefore'])
  const salt = wordOf(fields?.['salt'])
  const signature = signatureOf(fields?.['signature'])
  if (validAfterSeconds === undefined || validBeforeSeconds === undefined) return undefined
  if (salt === undefined || signature === undefined) return undefined
  return { validAfterSeconds, validBeforeSeconds, salt, signature }
}

function byPermit2Of(
  fields: Fields | undefined,
  spelling: Spelling,
): Permit2Authorization | undefined {
  const limits = fieldsOf(fields?.['permitted'])
  const from = addressOf(fields?.['from'], spelling)
  const spender = addressOf(fields?.['spender'], spelling)
  const token = addressOf(limits?.['token'], spelling)
  const permitted = unitsOf(limits?.['amount'])
  const nonce = unitsOf(fields?.['nonce'])
  const deadlineSeconds = unitsOf(fields?.['deadline'])
  const channelId = wordOf(fieldsOf(fields?.['witness'])?.['channelId'])
  const signature = signatureOf(fields?.['signature'])
  if (from === undefined || spender === undefined || token === undefined) return undefined
  if (permitted === undefined || nonce === undefined || deadlineSeconds === undefined) {
    return undefined
  }
  if (channelId === undefined || signature === undefined) return undefined
  return { from, token, permitted, spender, nonce, deadlineSeconds, channelId, signature }
}

function refundOf(payload: Fields, spelling: Spelling): BatchPayload | undefined {
  const of = ofChannel(payload, spelling, 'refund')
  const amount = uint128Of(payload['amount'])
  if (of === undefined || (payload['amount'] !== undefined && amount === undefined)) {
    return undefined
  }
  // As the stock facilitator tells the two apart.
  const isCompleted = ['amount', 'refundNonce', 'claims'].every((name) => name in payload)
  if (!isCompleted) return { ...of, amount }
  const nonce = unitsOf(payload['refundNonce'])
  const claims = claimsOf(payload['claims'], spelling)
  const refundSignature = optional(payload['refundAuthorizerSignature'])
  const claimSignature = optional(payload['claimAuthorizerSignature'])
  if (nonce === undefined || claims === undefined) return undefined
  if (refundSignature === null || claimSignature === null) return undefined
  return { ...of, amount, completed: { nonce, claims, refundSignature, claimSignature } }
}

function claimOf(payload: Fields, spelling: Spelling): BatchPayload | undefined {
  const claims = claimsOf(payload['claims'], spelling)
  const signature = optional(payload['claimAuthorizerSignature'])
  if (claims === undefined || claims.length === 0 || signature === null) return undefined
  return { type: 'claim', claims, signature }
}

function claimsOf(value: unknown, spelling: Spelling): readonly VoucherClaim[] | undefined {
  if (!Array.isArray(value) || value.length > CLAIMS_MAX) return undefined
  const claims = value.map((each: unknown) => rowOf(fieldsOf(each), spelling))
  const read = claims.filter((claim) => claim !== undefined)
  return read.length === claims.length ? read : undefined
}

function rowOf(fields: Fields | undefined, spelling: Spelling): VoucherClaim | undefined {
  const voucher = fieldsOf(fields?.['voucher'])
  const channel = channelOf(fieldsOf(voucher?.['channel']), spelling)
  const maxClaimableAmount = uint128Of(voucher?.['maxClaimableAmount'])
  const signature = signatureOf(fields?.['signature'])
  const totalClaimed = uint128Of(fields?.['totalClaimed'])
  if (channel === undefined || maxClaimableAmount === undefined) return undefined
  if (signature === undefined || totalClaimed === undefined) return undefined
  return { channel, maxClaimableAmount, signature, totalClaimed }
}

function ofChannel<Type extends string>(payload: Fields, spelling: Spelling, type: Type) {
  const channel = channelOf(fieldsOf(payload['channelConfig']), spelling)
  const voucher = voucherOf(fieldsOf(payload['voucher']))
  return channel === undefined || voucher === undefined ? undefined : { type, channel, voucher }
}

function channelOf(fields: Fields | undefined, spelling: Spelling): ChannelConfig | undefined {
  const payer = addressOf(fields?.['payer'], spelling)
  const payerAuthorizer = addressOf(fields?.['payerAuthorizer'], spelling)
  const receiver = addressOf(fields?.['receiver'], spelling)
  const receiverAuthorizer = addressOf(fields?.['receiverAuthorizer'], spelling)
  const token = addressOf(fields?.['token'], spelling)
  const delay = fields?.['withdrawDelay']
  const salt = wordOf(fields?.['salt'])
  if (payer === undefined || payerAuthorizer === undefined || receiver === undefined) {
    return undefined
  }
  if (receiverAuthorizer === undefined || token === undefined || salt === undefined) {
    return undefined
  }
  if (typeof delay !== 'number' || !Number.isInteger(delay)) return undefined
  if (delay < 0 || delay > UINT40_MAX) return undefined
  const parties = { payer, payerAuthorizer, receiver, receiverAuthorizer }
  return { ...parties, token, withdrawDelaySeconds: BigInt(delay), salt }
}

function voucherOf(fields: Fields | undefined): Voucher | undefined {
  const channelId = wordOf(fields?.['channelId'])
  const maxClaimableAmount = uint128Of(fields?.['maxClaimableAmount'])
  const signature = signatureOf(fields?.['signature'])
  if (channelId === undefined || maxClaimableAmount === undefined) return undefined
  return signature === undefined ? undefined : { channelId, maxClaimableAmount, signature }
}

function addressOf(value: unknown, spelling: Spelling): string | undefined {
  return typeof value === 'string' ? spelling(value) : undefined
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) ? value.toLowerCase() : undefined
}

/** What the escrow keeps as uint128. */
function uint128Of(value: unknown): BaseUnits | undefined {
  const units = unitsOf(value)
  return units !== undefined && units <= UINT128_MAX ? units : undefined
}

function signatureOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > SIGNATURE_CHARACTERS_MAX) return undefined
  return SIGNATURE.test(value) ? value.toLowerCase() : undefined
}

/** Undefined where it was left out, null where it is none. */
function optional(value: unknown): string | undefined | null {
  return value === undefined ? undefined : (signatureOf(value) ?? null)
}
