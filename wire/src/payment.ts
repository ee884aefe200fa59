import Type from 'typebox'
import {
  BaseUnitsText,
  Exactly,
  ExactNumber,
  HttpUrl,
  KeptObject,
  Milliseconds,
  MoneyText,
  Nullable,
  SentObject,
} from './fields.ts'

export const PAYMENT_STATUSES = ['pending', 'confirmed', 'settled', 'failed', 'expired'] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** One chain effect has one record per party: `sent` for the payer's account, `received` for the receiver's. */
export const PAYMENT_TYPES = ['sent', 'received'] as const
export type PaymentType = (typeof PAYMENT_TYPES)[number]

export const WAIT_FOR = ['submitted', 'confirmed', 'settled'] as const
export type WaitFor = (typeof WAIT_FOR)[number]

/**
 * What became of one signed form of a payment. `signed`: stored, no node is known to have it. `sent`: a node took it.
 * `mined`: on chain with its effect. `reverted`: on chain without effect. `replaced`: another attempt took its place.
 */
export const ATTEMPT_STATUSES = ['signed', 'sent', 'mined', 'reverted', 'replaced'] as const

const METADATA_BYTES_MAX = 8 * 1024
const AddressText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 128, description })

export const PaymentPath = Exactly({
  paymentId: Type.String({ minLength: 1, maxLength: 128, description: 'pay_ and 22 characters.' }),
})

/** POST /payment/send. Ranges are the interface's own, whatever the asset. */
export const SendBody = Exactly({
  walletAddress: AddressText('A wallet that your account holds in this service.'),
  recipientAddress: AddressText('Where the money goes.'),
  amount: MoneyText({ minimum: '0.001', maximum: '100' }, 'Whole units of the asset.'),
  resource: Type.Optional(HttpUrl('What the payment is for.')),
  metadata: Type.Optional(KeptObject(METADATA_BYTES_MAX, 'Your own facts; comes back as sent.')),
  priorityFee: Type.Optional(
    MoneyText(
      { minimum: '0.00001', maximum: '0.01' },
      'Total priority fee of the transaction in native currency; automatic when left out.',
    ),
  ),
  network: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'CAIP-2, or an x402 v1 name.' }),
  ),
  asset: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      default: 'native',
      description: 'native, a configured symbol, or the address of a configured asset.',
    }),
  ),
  waitFor: Type.Optional(Type.Enum(WAIT_FOR, { default: 'confirmed' })),
  timeout: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, default: 10, description: 'Seconds to wait.' }),
  ),
})

const facts = {
  paymentId: Type.String(),
  signature: Nullable(Type.String()),
  network: Type.String(),
  asset: Type.String(),
  amount: ExactNumber,
  amountBaseUnits: BaseUnitsText,
  sender: Type.String(),
  recipient: Type.String(),
  status: Type.Enum(PAYMENT_STATUSES),
  blockHeight: Nullable(Type.Integer({ minimum: 0 })),
  fee: Nullable(ExactNumber),
  resource: Nullable(Type.String()),
  metadata: Nullable(SentObject),
  estimatedConfirmation: Nullable(Type.String({ description: 'For people: "2-5 seconds".' })),
  /** Present, and true, on everything that happened on a sandbox chain. */
  sandbox: Type.Optional(Type.Literal(true)),
}

/** The answer of POST /payment/send. */
export const SendAnswer = Exactly({
  ...facts,
  paymentProof: Nullable(Type.String()),
})

export const Attempt = Exactly({
  number: Type.Integer({ minimum: 1 }),
  signature: Type.String(),
  status: Type.Enum(ATTEMPT_STATUSES),
  createdAt: Milliseconds,
  sentAt: Nullable(Milliseconds),
  requestId: Nullable(
    Type.String({
      description:
        'X-Request-Id of the answer to the request that it was signed for; null when the service raised a fee or built it anew.',
    }),
  ),
})

export const Failure = Exactly({ reason: Type.String(), message: Type.String() })

const standing = {
  type: Type.Enum(PAYMENT_TYPES),
  priorityFee: Nullable(ExactNumber),
  confirmations: Type.Integer({ minimum: 0 }),
  /** Null, like `finality`, when the payment's network is not configured any more. */
  releaseDepth: Nullable(Type.Integer({ minimum: 0 })),
  finality: Nullable(Type.String({ description: 'The policy that decides settled.' })),
  finalityViolated: Type.Optional(Type.Literal(true)),
}

const times = {
  createdAt: Milliseconds,
  confirmedAt: Nullable(Milliseconds),
  settledAt: Nullable(Milliseconds),
  failure: Type.Optional(Failure),
}

/** The payment record: GET /payment/status/{paymentId}. `paymentProof` is shown to keys with write scope only. */
export const PaymentRecord = Exactly({
  ...facts,
  paymentProof: Type.Optional(Nullable(Type.String())),
  ...standing,
  attempts: Type.Array(Attempt),
  ...times,
})

/** A payment in a list: its record without attempts, and never with its proof. */
export const ListedPayment = Exactly({ ...facts, ...standing, ...times })
