import { createHash } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import type {
  Address,
  SignedTransaction,
  Terms,
  TransactionHash,
} from '@florin/server/chains/chain.ts'
import type { Authorization } from './authorization.ts'

/** What a transaction of a model chain says, whoever signed it. */
export interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly asset: string
  readonly amount: bigint
  /** The payment's commitment in hex: tells the effects of payments apart. */
  readonly mark: string
  /** The most the network may take. */
  readonly fee: bigint
  /** Chains of places: each place of a sender is used once, in order. Chains of lifetimes: without meaning. */
  readonly nonce: bigint
  /** Chains of lifetimes: the last height at which it may be included. */
  readonly lifetime: bigint
  /** Left out when the sender moves its own money. */
  readonly authorization?: Authorization
  /** Transfers by authorizations that this one makes, each of which may fail by itself; then it moves nothing of its own. */
  readonly parts?: readonly Part[]
}

/** One of several that share a transaction. */
export type Part = Required<Pick<Transfer, 'to' | 'asset' | 'amount' | 'mark' | 'authorization'>>

/** A transfer with its id, as the nodes know it. */
export interface HeardTransfer extends Transfer {
  readonly hash: TransactionHash
}

/** `to`, `value` and `data` are what the doctor holds every attempt of a place to. */
export function termsOf(transfer: Omit<Transfer, 'nonce'>): Terms {
  const { to, amount, mark, from, asset, fee, lifetime, authorization, parts } = transfer
  const fields = {
    to,
    value: amount,
    data: mark,
    from,
    asset,
    fee,
    lifetime,
    ...(authorization === undefined
      ? {}
      : { authorization: JSON.stringify(authorization, bigintsAsText) }),
    ...(parts === undefined ? {} : { parts: JSON.stringify(parts, bigintsAsText) }),
  }
  return JSON.parse(JSON.stringify(fields, bigintsAsText)) as Terms
}

export function transferOf(terms: Terms, nonce: bigint): Transfer {
  const field = (name: string) => terms[name] ?? ''
  return {
    from: field('from') as Address,
    to: field('to') as Address,
    asset: field('asset'),
    amount: BigInt(field('value')),
    mark: field('data'),
    fee: baseUnits(field('fee')),
    lifetime: BigInt(field('lifetime')),
    nonce,
    ...authorizationIn(terms['authorization']),
    ...partsIn(terms['parts']),
  }
}

function partsIn(text: string | undefined): Pick<Transfer, 'parts'> {
  return text === undefined ? {} : { parts: readParts(JSON.parse(text)) }
}

type PartFields = Record<Exclude<keyof Part, 'authorization'>, string> & {
  readonly authorization: Record<keyof Authorization, string | null>
}

function readParts(fields: readonly PartFields[]): readonly Part[] {
  return fields.map(({ to, asset, amount, mark, authorization }) => ({
    to: to as Address,
    asset,
    amount: BigInt(amount),
    mark,
    authorization: readAuthorization(authorization),
  }))
}

function authorizationIn(text: string | undefined): Pick<Transfer, 'authorization'> {
  return text === undefined ? {} : { authorization: readAuthorization(JSON.parse(text)) }
}

function readAuthorization(fields: Record<keyof Authorization, string | null>): Authorization {
  const { payer, nonce, validBeforeSeconds } = fields
  return {
    payer: `${payer}` as Address,
    nonce: `${nonce}`,
    validBeforeSeconds: validBeforeSeconds === null ? null : BigInt(validBeforeSeconds),
  }
}

export function signTransfer(transfer: Transfer): SignedTransaction {
  const raw = Buffer.from(JSON.stringify(transfer, bigintsAsText))
  return { raw, hash: hashOf(raw) }
}

/** What a node reads in signed bytes. */
export function readTransfer(raw: Uint8Array): HeardTransfer {
  const fields = JSON.parse(Buffer.from(raw).toString()) as Record<
    Exclude<keyof Transfer, 'authorization' | 'parts'>,
    string
  > & {
    authorization?: Record<keyof Authorization, string | null>
    parts?: readonly PartFields[]
  }
  return {
    hash: hashOf(raw),
    from: fields.from as Address,
    to: fields.to as Address,
    asset: fields.asset,
    mark: fields.mark,
    amount: BigInt(fields.amount),
    fee: BigInt(fields.fee),
    nonce: BigInt(fields.nonce),
    lifetime: BigInt(fields.lifetime),
    ...(fields.authorization === undefined
      ? {}
      : { authorization: readAuthorization(fields.authorization) }),
    ...(fields.parts === undefined ? {} : { parts: readParts(fields.parts) }),
  }
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function hashOf(raw: Uint8Array): TransactionHash {
  return `0x${createHash('sha256').update(raw).digest('hex')}` as TransactionHash
}
