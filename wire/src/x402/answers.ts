import Type from 'typebox'
import { Exactly } from '../fields.ts'

/** x402 lets either side add fields, so what is not named here is let through and ignored. */
const Open = { additionalProperties: true }

/** Body of POST /x402/verify and /x402/settle. What is inside is judged by the facilitator, in the words of x402. */
export const X402Body = Type.Object(
  {
    x402Version: Type.Optional(Type.Unknown({ description: '1 or 2.' })),
    paymentPayload: Type.Unknown({ description: 'The decoded payment header.' }),
    paymentRequirements: Type.Unknown({ description: 'What the seller asks for.' }),
  },
  Open,
)

/** Answer of POST /x402/verify. */
export const X402VerifyAnswer = Exactly({
  isValid: Type.Boolean(),
  invalidReason: Type.Optional(Type.String()),
  invalidMessage: Type.Optional(Type.String()),
  payer: Type.Optional(Type.String()),
  extra: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: '`batch-settlement`: how the channel stands.',
    }),
  ),
})

/** Answer of POST /x402/settle. `transaction` and `network` are always there: clients refuse an answer without. */
export const X402SettleAnswer = Exactly({
  success: Type.Boolean(),
  errorReason: Type.Optional(Type.String()),
  errorMessage: Type.Optional(Type.String()),
  payer: Type.Optional(Type.String()),
  transaction: Type.String({ description: 'Empty when there is none.' }),
  network: Type.String(),
  amount: Type.Optional(Type.String({ description: 'Base units that were moved.' })),
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Answer of GET /x402/supported. */
export const X402SupportedAnswer = Exactly({
  kinds: Type.Array(
    Exactly({
      x402Version: Type.Integer({ minimum: 1, maximum: 2 }),
      scheme: Type.String(),
      network: Type.String(),
      extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
  extensions: Type.Array(Type.String()),
  signers: Type.Record(Type.String(), Type.Array(Type.String())),
})
