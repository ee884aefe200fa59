import Type from 'typebox'
import { Exactly, HttpUrl, Nullable, Said, SentMilliseconds } from './fields.ts'
import { ListedPayment, PAYMENT_STATUSES, PAYMENT_TYPES } from './payment.ts'

export const HISTORY_TYPES = [...PAYMENT_TYPES, 'all'] as const
export type HistoryType = (typeof HISTORY_TYPES)[number]

/** Far beyond any history. */
const OFFSET_MAX = 2_147_483_647

const Time = (description: string) => Type.Optional(Said(description, SentMilliseconds))
const Text = (characters: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: characters, description }))

export const HistoryPath = Exactly({
  walletAddress: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'Any address of either chain family, a wallet of yours or not.',
  }),
})

/** GET /payment/history/{walletAddress}. */
export const HistoryQuery = Exactly({
  type: Type.Optional(
    Type.Enum(HISTORY_TYPES, {
      default: 'all',
      description: '`sent`: the address paid. `received`: it was paid.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'Payments on a page.' }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OFFSET_MAX,
      default: 0,
      description:
        'Payments to skip. A cursor costs the same at any depth, and new payments do not shift it.',
    }),
  ),
  cursor: Text(256, '`nextCursor` of the page before; not together with `offset`.'),
  status: Type.Optional(
    Type.Enum(PAYMENT_STATUSES, { description: 'Only those that stand there now.' }),
  ),
  from: Time('Created at this time or later: Unix milliseconds.'),
  to: Time('Created before this time: Unix milliseconds.'),
  resource: Type.Optional(HttpUrl('What was paid for, spelled as it was sent.')),
  network: Text(64, 'CAIP-2, or an x402 v1 name.'),
})

/** A page of payments, newest first. */
export const HistoryAnswer = Exactly({
  walletAddress: Type.String({ description: 'The address in its one canonical spelling.' }),
  type: Type.Enum(HISTORY_TYPES, { description: 'What was asked for.' }),
  payments: Type.Array(ListedPayment, { description: 'Newest first.' }),
  total: Nullable(Type.Integer({ minimum: 0, description: 'Exact; null when a filter is given.' })),
  limit: Type.Integer({ minimum: 1, description: 'What was asked for.' }),
  offset: Type.Integer({ minimum: 0, description: 'What was asked for.' }),
  hasMore: Type.Boolean({ description: 'Whether another page follows.' }),
  nextCursor: Said('The `cursor` of the next page; null on the last one.', Nullable(Type.String())),
})

/** GET /payment/find: by `signature`, by `proof`, or by `nonce` with `network` and `sender`. Exactly one of the three. */
export const FindQuery = Exactly({
  signature: Text(128, 'A transaction on chain, or any attempt at one.'),
  proof: Text(16 * 1024, 'A paymentProof of this service.'),
  nonce: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Nonce of an EVM transaction; with network and sender.',
    }),
  ),
  network: Text(64, 'CAIP-2, or an x402 v1 name.'),
  sender: Text(128, 'The address that signed.'),
})

/** Payments of the account, newest first; none when nothing was found. */
export const FindAnswer = Exactly({ payments: Type.Array(ListedPayment) })
