import Type from 'typebox'
import { Exactly, ExactNumber, HttpUrl, KeptObject, MoneyText, Nullable, Said } from './fields.ts'
import { PaymentFacts } from './payment.ts'

const METADATA_BYTES_MAX = 8 * 1024
/** Of the caller's own. */
export const FETCH_HEADERS_MAX = 32
const BODY_CHARACTERS_MAX = 32 * 1024

export const FETCH_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** POST /payment/fetch. */
export const FetchBody = Exactly({
  walletAddress: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'A wallet that your account holds in this service; it pays.',
  }),
  url: HttpUrl('What to ask for.'),
  method: Type.Optional(
    Type.Enum(FETCH_METHODS, { default: 'GET', description: 'How to ask for it.' }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
      description: 'At most 32, sent to the seller; twice when it is paid.',
    }),
  ),
  body: Type.Optional(
    Type.String({ maxLength: BODY_CHARACTERS_MAX, description: 'Sent as it is, in UTF-8.' }),
  ),
  maxAmount: MoneyText(
    { minimum: '0.000001', maximum: '1000000' },
    'The most that may be paid, whole units of the asset.',
  ),
  asset: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      default: 'USDC',
      description:
        'What it may be paid in: a configured symbol, or the address of a configured token.',
    }),
  ),
  network: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'CAIP-2, or an x402 v1 name.' }),
  ),
  metadata: Type.Optional(KeptObject(METADATA_BYTES_MAX, 'Your own facts; comes back as sent.')),
})

/** The answer of POST /payment/fetch. */
export const FetchAnswer = Exactly({
  paid: Said(
    'Whether money moved, by what the chain shows. `unknown`: the seller holds a payment that it may still use.',
    Type.Union([Type.Boolean(), Type.Literal('unknown')]),
  ),
  amount: Said(
    'What was paid, or may be at most: whole units. Of `upto` what was taken, once the chain shows it. 0 when nothing was signed.',
    ExactNumber,
  ),
  paymentId: Type.Optional(Type.String({ description: 'Present when something was signed.' })),
  payment: Type.Optional(Said('The payment as it stands.', PaymentFacts)),
  response: Said(
    'What the seller answered; null when it did not, or its answer could not be kept.',
    Nullable(
      Exactly({
        status: Type.Integer({ description: 'HTTP status.' }),
        headers: Type.Record(Type.String(), Type.String(), {
          description: 'By lower-case name; the first ones when there are many.',
        }),
        setCookies: Type.Optional(
          Type.Array(Type.String(), {
            description:
              'The cookies that it sets, one by one, where it sets any: `headers` has them in one text, which cannot be taken apart.',
          }),
        ),
        body: Type.String({ description: 'At most 1 MB.' }),
        bodyEncoding: Type.Enum(['utf8', 'base64'], { description: 'How `body` is written.' }),
      }),
    ),
  ),
  problem: Type.Optional(
    Type.String({ description: 'Why there is no response: `timeout`, `body_too_long`, ...' }),
  ),
  lost: Type.Optional(
    Said(
      'Where `problem` is `body_too_long`: what the seller said of the answer that cannot be handed on.',
      Exactly({
        status: Type.Integer({ description: 'HTTP status.' }),
        contentLength: Said(
          'Bytes of its body; null where it does not say.',
          Nullable(Type.Integer()),
        ),
        contentType: Said('As it says it.', Nullable(Type.String())),
      }),
    ),
  ),
  receipt: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What the seller says of the settlement, decoded. Nothing of it was believed.',
    }),
  ),
})
