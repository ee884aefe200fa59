import Type from 'typebox'
import type { TObject } from 'typebox'
import type { AccountEventType } from './event-types.ts'
import { BaseUnitsText, Exactly, Milliseconds, Nullable, Said } from './fields.ts'
import { escrowCallFacts } from './x402/escrow-call.ts'
import { Failure, PAYMENT_STATUSES, PAYMENT_TYPES } from './payment.ts'

const Text = (description: string) => Type.String({ description })
const MaybeText = (description: string) => Said(description, Nullable(Type.String()))
const sandbox = Type.Optional(
  Type.Literal(true, { description: 'No real money moved: this comes from a sandbox.' }),
)
const finalityViolated = Type.Optional(
  Type.Literal(true, { description: 'Its final block was reorganised away; a person must look.' }),
)

const money = {
  network: Text('CAIP-2.'),
  asset: Text('`native`, or the token.'),
  amount: Text('Whole units, decimal text: a number of JSON in the record of the payment.'),
  amountBaseUnits: BaseUnitsText,
}
const resource = MaybeText('What was paid for.')
const status = Type.Enum(PAYMENT_STATUSES, { description: 'Where the payment stands now.' })

/** What `data` of an event holds, by its type. New fields may come. */
export const eventData = {
  payment: Exactly({
    paymentId: Text('The payment.'),
    type: Type.Enum(PAYMENT_TYPES, { description: 'Whether you paid or were paid.' }),
    status,
    ...money,
    sender: Text('Who paid.'),
    recipient: Text('Who was paid.'),
    resource,
    signature: MaybeText(
      'The transaction that took effect; while none has, the newest that the service has signed for it, which a later attempt may replace: `status` says whether it was seen. Null where there is none: of what others sign or settle, and at first of a proof that was claimed.',
    ),
    blockHeight: MaybeText(
      'Its block, decimal text: a number of JSON in the record of the payment.',
    ),
    failure: Said('Why it failed; null unless it did.', Nullable(Failure)),
    tradeId: Type.Optional(Text('The trade that it carries; `GET /trade/{tradeId}` has the rest.')),
    selfCustody: Type.Optional(Type.Literal(true, { description: 'It was signed elsewhere.' })),
    abandoned: Type.Optional(Type.Literal(true, { description: 'Its builder gave it up.' })),
    remark: Type.Optional(
      Exactly({ reason: Text('A word for programs.'), message: Text('The same for people.') }),
    ),
    finalityViolated,
    sandbox,
  }),
  verification: Exactly({
    valid: Type.Boolean({ description: 'Whether it would have settled at that moment.' }),
    reason: Type.Optional(Text('Why not, in the words of x402.')),
    network: Text('CAIP-2; as the seller wrote it when the payment is not valid.'),
    asset: Type.Optional(Text('The token.')),
    amountBaseUnits: Type.Optional(BaseUnitsText),
    payer: MaybeText('Who signed, when that could be read.'),
    payTo: Type.Optional(Text('Who is to be paid.')),
    resource: Type.Optional(resource),
    sandbox,
  }),
  settlement: Exactly({
    paymentId: Text('The payment of the claimed proof.'),
    success: Type.Boolean({ description: 'Whether the money is where it belongs.' }),
    status,
    transaction: MaybeText('The transaction that moved it.'),
    ...money,
    payer: Text('Who signed the authorization.'),
    payTo: Text('Who was paid.'),
    resource,
    finalityViolated,
    sandbox,
  }),
  escrowCall: Exactly({
    ...escrowCallFacts,
    amount: MaybeText('`amountBaseUnits` in whole units, decimal text.'),
    failure: Said('Why it failed; null unless it did.', Nullable(Failure)),
    sandbox,
  }),
  webhook: Exactly({
    webhookId: Text('One of your webhooks.'),
    status: Type.Literal('paused', { description: 'Nothing is sent to it until you resume it.' }),
    reason: Text('Why.'),
    failingSince: Said('Of the first failure, Unix milliseconds.', Milliseconds),
    sandbox,
  }),
} as const satisfies Record<AccountEventType, TObject>
