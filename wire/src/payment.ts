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
  Said,
  SentObject,
} from './fields.ts'

export const PAYMENT_STATUSES = ['pending', 'confirmed', 'settled', 'failed', 'expired'] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** One chain effect has one record per party: `sent` for the payer's account, `received` for the receiver's. */
export const PAYMENT_TYPES = ['sent', 'received'] as const

export const WAIT_FOR = ['submitted', 'confirmed', 'settled'] as const

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
      description: '`native`, a configured symbol, or the address of a configured asset.',
    }),
  ),
  waitFor: Type.Optional(
    Type.Enum(WAIT_FOR, {
      default: 'confirmed',
      description: 'How far the payment should have come before this answers.',
    }),
  ),
  timeout: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, default: 10, description: 'Seconds to wait.' }),
  ),
})

const Text = (description: string) => Type.String({ description })

const facts = {
  paymentId: Text('Name of the payment: pay_ and 22 characters.'),
  signature: Said(
    'The transaction that took effect, or the newest attempt while none has: a hash on EVM, a signature on Solana.',
    Nullable(Type.String()),
  ),
  network: Text('CAIP-2 id.'),
  asset: Text('`native`, or the canonical address or mint of the token.'),
  amount: Said('Whole units of the asset.', ExactNumber),
  amountBaseUnits: Said('The same, exactly, in the smallest unit of the asset.', BaseUnitsText),
  sender: Text('Whose money moves.'),
  recipient: Text('Who gets it.'),
  status: Type.Enum(PAYMENT_STATUSES, { description: 'What is known of it now.' }),
  blockHeight: Said(
    'Block that holds the effect; slot on Solana. Null while none does.',
    Nullable(Type.Integer({ minimum: 0 })),
  ),
  fee: Said(
    'What the network really took, in native currency; null before that is known.',
    Nullable(ExactNumber),
  ),
  resource: Said('What was paid for, as it was sent.', Nullable(Type.String())),
  metadata: Said('Your own facts, as they were sent.', Nullable(SentObject)),
  estimatedConfirmation: Said('For people: "2-5 seconds".', Nullable(Type.String())),
  sandbox: Type.Optional(
    Said('Present, and true, when it happened on a sandbox chain.', Type.Literal(true)),
  ),
}

/** What every answer about a payment says of it. */
export const PaymentFacts = Exactly(facts)

/** The answer of POST /payment/send. */
export const SendAnswer = Exactly({
  ...facts,
  paymentProof: Said(
    'What the recipient shows to claim the payment; null when it has none. Keep it secret.',
    Nullable(Type.String()),
  ),
})

export const Attempt = Exactly({
  number: Type.Integer({ minimum: 1, description: 'Counts from 1; the newest is the last.' }),
  signature: Text('Its transaction, whether or not it took effect.'),
  status: Type.Enum(ATTEMPT_STATUSES, {
    description:
      '`signed`: stored. `sent`: a node took it. `mined`: it took effect. `reverted`: on chain without effect. `replaced`: another attempt took its place.',
  }),
  createdAt: Milliseconds,
  sentAt: Said('When it last went to the nodes, Unix milliseconds.', Nullable(Milliseconds)),
  requestId: Nullable(
    Type.String({
      description:
        'X-Request-Id of the answer to the request that it was signed for; null when the service raised a fee or built it anew.',
    }),
  ),
})

export const Failure = Exactly({
  reason: Text('For programs.'),
  message: Text('For people.'),
})

const standing = {
  type: Type.Enum(PAYMENT_TYPES, { description: 'Which side of it this record is.' }),
  priorityFee: Said(
    'Total priority fee that the first attempt offers in native currency: as you set it, else as it was chosen for you; of what you sign, what was built. Null where this service offers none: for what you received, and for a purchase, whose seller sends it.',
    Nullable(ExactNumber),
  ),
  confirmations: Type.Integer({
    minimum: 0,
    description: 'Blocks that hold or build on the effect; the including one is the first.',
  }),
  /** Null, like `finality`, when the payment's network is not configured any more. */
  releaseDepth: Said(
    'Blocks on top after which something may be released for it.',
    Nullable(Type.Integer({ minimum: 0 })),
  ),
  finality: Said('The policy that decides `settled`.', Nullable(Type.String())),
  finalityViolated: Type.Optional(
    Said(
      'Present, and true, when the chain took back what its policy called final. An operator is looking.',
      Type.Literal(true),
    ),
  ),
  selfCustody: Type.Optional(
    Said('Present, and true, when it was built here and is signed elsewhere.', Type.Literal(true)),
  ),
  tradeId: Type.Optional(Text('The trade that it carries; present when it carries one.')),
  abandoned: Type.Optional(
    Said(
      'Present, and true, when you gave the built transaction up. The chain still decides the status.',
      Type.Literal(true),
    ),
  ),
  remark: Type.Optional(
    Said(
      'What the chain showed instead of what was asked for or built; whatever the status.',
      Failure,
    ),
  ),
}

/** Of payments, and of what they carry. */
export const EndedAt = Type.Optional(
  Said(
    'When it failed or expired, Unix milliseconds; left out before that, and where an older release did not note it.',
    Milliseconds,
  ),
)

const times = {
  createdAt: Milliseconds,
  confirmedAt: Said('When its effect was first seen, Unix milliseconds.', Nullable(Milliseconds)),
  settledAt: Said('When its effect became final, Unix milliseconds.', Nullable(Milliseconds)),
  endedAt: EndedAt,
  failure: Type.Optional(Said('Why it failed; present when `status` is `failed`.', Failure)),
}

/** The payment record: GET /payment/status/{paymentId}. `paymentProof` is shown to keys with write scope only. */
export const PaymentRecord = Exactly({
  ...facts,
  paymentProof: Type.Optional(
    Said('Shown to keys with the scope `write` only.', Nullable(Type.String())),
  ),
  ...standing,
  attempts: Type.Array(Attempt),
  ...times,
})

/** A payment in a list: its record without attempts, and never with its proof. */
export const ListedPayment = Exactly({ ...facts, ...standing, ...times })
