import Type from 'typebox'
import { Exactly, Nullable, Said, SentMilliseconds } from './fields.ts'
import { HISTORY_TYPES } from './history.ts'
import { ListedPayment, PAYMENT_STATUSES } from './payment.ts'

const Time = (description: string) => Type.Optional(Said(description, SentMilliseconds))
const Text = (characters: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: characters, description }))

/** GET /payments. */
export const PaymentsQuery = Exactly({
  type: Type.Optional(
    Type.Enum(HISTORY_TYPES, {
      default: 'all',
      description: '`sent`: the account paid. `received`: it was paid.',
    }),
  ),
  status: Type.Optional(
    Type.Enum(PAYMENT_STATUSES, { description: 'Only those that stand there now.' }),
  ),
  walletAddress: Text(128, 'Only what this address paid or was paid.'),
  network: Text(64, 'CAIP-2, or an x402 v1 name.'),
  asset: Text(128, '`native`, a configured symbol, or the address or mint of a token.'),
  from: Time('Created at this time or later: Unix milliseconds.'),
  to: Time('Created before this time: Unix milliseconds.'),
  search: Text(
    2_048,
    'The id of a payment, a transaction, an address on either side, or a resource as it was sent.',
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 50,
      description: 'Payments on a page at most.',
    }),
  ),
  cursor: Text(256, '`nextCursor` of the page before.'),
})

/** A page of the account's payments, newest first. */
export const PaymentsAnswer = Exactly({
  payments: Type.Array(ListedPayment, { description: 'Newest first.' }),
  hasMore: Type.Boolean({ description: 'Whether the list goes on behind this page.' }),
  nextCursor: Said('The `cursor` of the next page; null on the last one.', Nullable(Type.String())),
  lookedBackTo: Said(
    'Set when a filter made this page look as far back as one page does: everything that fits and was created then or later is on it or on a page before. Go on with `nextCursor`, even if the page is empty.',
    Nullable(Type.Integer({ minimum: 0 })),
  ),
})
