import Type from 'typebox'
import {
  BaseUnitsText,
  Exactly,
  ExactNumber,
  HttpUrl,
  MoneyText,
  Nullable,
  Said,
} from './fields.ts'
import { PAYMENT_STATUSES } from './payment.ts'
import { PAYMENT_HEADER_CHARACTERS_MAX } from './x402/payment-header.ts'

const Text = (description: string) => Type.String({ description })
const Short = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

const network = Type.Optional(
  Short(64, 'CAIP-2, or an x402 v1 name. Left out, the one that the proof names.'),
)
const asset = Type.Optional(
  Short(128, 'A configured symbol or address. Left out, the one that the proof names.'),
)

const expected = {
  walletAddress: Short(128, 'Your receiving address: who must be paid.'),
  paymentProof: Short(
    PAYMENT_HEADER_CHARACTERS_MAX,
    'The value of the `X-PAYMENT` or `PAYMENT-SIGNATURE` header as it came, or a `paymentProof` of this service.',
  ),
  expectedAmount: MoneyText({}, 'What the buyer was asked to pay, whole units of the asset.'),
  resource: Type.Optional(HttpUrl('What it is for. A proof for something else is refused.')),
  facilitatorUrl: Type.Optional(
    HttpUrl(
      'Who settles. Left out: this service, `{base_url}/x402`. Another one only if its operator allows it.',
    ),
  ),
  network,
  asset,
}
const timeout = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 60, default: 30, description: 'Seconds to wait.' }),
)

/** POST /payment/receive. */
export const ReceiveBody = Exactly({ ...expected, timeout })

/** POST /payment/settle: the fields of receive, or `paymentId` alone. */
export const SettleBody = Exactly({
  paymentId: Type.Optional(
    Short(128, 'A payment that was begun before; with nothing but `timeout` beside it.'),
  ),
  walletAddress: Type.Optional(expected.walletAddress),
  paymentProof: Type.Optional(expected.paymentProof),
  expectedAmount: Type.Optional(expected.expectedAmount),
  resource: expected.resource,
  facilitatorUrl: expected.facilitatorUrl,
  network,
  asset,
  timeout,
})

/** The answer of receive and settle: the money is on chain, as deep as the network asks for. */
export const ReceiveAnswer = Exactly({
  verified: Type.Literal(true),
  paymentId: Text('Name of the payment: pay_ and 22 characters.'),
  signature: Text('The transaction that moved the money: a hash on EVM, a signature on Solana.'),
  logIndex: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Which of the effects of that transaction it is.' }),
  ),
  network: Text('CAIP-2 id.'),
  asset: Text('`native`, or the canonical address or mint of the token.'),
  amount: Said('Whole units of the asset.', ExactNumber),
  amountBaseUnits: Said('The same, exactly, in the smallest unit of the asset.', BaseUnitsText),
  sender: Text('Who paid.'),
  recipient: Text('Who was paid.'),
  status: Type.Enum(PAYMENT_STATUSES, { description: '`confirmed` or `settled`.' }),
  facilitator: Text('Who settled it.'),
  resource: Said('What was paid for.', Nullable(Type.String())),
  blockHeight: Said(
    'Block that holds the effect; slot on Solana.',
    Nullable(Type.Integer({ minimum: 0 })),
  ),
  paymentResponse: Text(
    'For your answer to the buyer: the value of `X-PAYMENT-RESPONSE` (v1) or `PAYMENT-RESPONSE` (v2).',
  ),
})

/** POST /v1/payments/verify. Its spelling of names is the interface's own. */
export const VerifyBody = Exactly({
  payment_proof: expected.paymentProof,
  amount: expected.expectedAmount,
  recipient: expected.walletAddress,
  facilitator_url: Type.Optional(
    HttpUrl(
      'Who would settle. Another one than this service is asked, too, if the operator allows it.',
    ),
  ),
  network,
  asset,
})

/** The answer of POST /v1/payments/verify. */
export const VerifyAnswer = Exactly({
  valid: Type.Boolean({ description: 'Whether it would settle now. A statement, not a lock.' }),
  reason: Type.Optional(Text('Why not, in the words of x402.')),
  payer: Type.Optional(Text('Who pays, as far as it could be read.')),
  amount: Said('Whole units of the asset.', ExactNumber),
  recipient: Text('Who is paid.'),
  network: Text('CAIP-2 id.'),
  asset: Text('`native`, or the canonical address or mint of the token.'),
  paymentId: Type.Optional(Text('Your payment that has this proof already.')),
  status: Type.Optional(Type.Enum(PAYMENT_STATUSES, { description: 'Where that payment stands.' })),
})
