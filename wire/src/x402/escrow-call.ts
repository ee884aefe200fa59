import Type from 'typebox'
import { BaseUnitsText, Exactly, ExactNumber, Milliseconds, Nullable, Said } from '../fields.ts'
import { EndedAt, Failure } from '../payment.ts'

/** What a seller's server can have sent to the escrow of `batch-settlement`. */
export const ESCROW_OPERATIONS = ['deposit', 'claim', 'settle', 'refund'] as const
export type EscrowOperation = (typeof ESCROW_OPERATIONS)[number]

/** `settled`, `failed`: final. A call has no time of its own after which it expires. */
export const ESCROW_CALL_STATUSES = ['pending', 'confirmed', 'settled', 'failed'] as const
export type EscrowCallStatus = (typeof ESCROW_CALL_STATUSES)[number]

const Text = (description: string) => Type.String({ description })
const MaybeText = (description: string) => Said(description, Nullable(Type.String()))
const Short = (characters: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: characters, description }))

/** What a call is about and how it stands, as its record and its events say it. */
export const escrowCallFacts = {
  callId: Text('Name of the call: esc_ and 22 characters.'),
  operation: Type.Enum(ESCROW_OPERATIONS, {
    description:
      '`deposit`: a payer pays into a channel. `claim`: vouchers are counted for receivers. `settle`: a receiver is sent what was claimed. `refund`: a payer gets back what is left.',
  }),
  status: Type.Enum(ESCROW_CALL_STATUSES, { description: 'What is known of it now.' }),
  network: Text('CAIP-2 id.'),
  asset: Text('The token.'),
  amountBaseUnits: Said(
    'What it moves, in the smallest unit of the token: into the escrow, to what its receivers may have, to its receiver, or back to the payer. Null until a block shows it; of a deposit it is known before.',
    Nullable(BaseUnitsText),
  ),
  claimedBaseUnits: Said(
    'What a refund counted for the receiver before it gave back the rest; null of everything else, and until a block shows it.',
    Nullable(BaseUnitsText),
  ),
  payer: MaybeText('Whose money it is; null of a claim and of a settlement.'),
  payTo: MaybeText('Whom it is for; null of a claim for several.'),
  channelId: MaybeText('The channel that it is about; null where it is about several, or none.'),
  channelCount: Type.Integer({ minimum: 0, description: 'How many channels it is about.' }),
  transaction: MaybeText('The transaction in a block, else the newest that was signed for it.'),
}

const sandbox = Type.Optional(
  Said('Present, and true, when it happened on a sandbox chain.', Type.Literal(true)),
)

/** A call to the escrow of `batch-settlement` that this service made. */
export const EscrowCall = Exactly({
  ...escrowCallFacts,
  amount: Said('`amountBaseUnits` in whole units of the token.', Nullable(ExactNumber)),
  claimedAmount: Said('`claimedBaseUnits` in whole units.', Nullable(ExactNumber)),
  blockHeight: Said('Its block; null while it is in none.', Nullable(Type.Integer({ minimum: 0 }))),
  fee: Said(
    'What the network took of the service, in native currency; null before that is known.',
    Nullable(ExactNumber),
  ),
  createdAt: Milliseconds,
  confirmedAt: Said('When its effect was first seen, Unix milliseconds.', Nullable(Milliseconds)),
  settledAt: Said('When its effect became final, Unix milliseconds.', Nullable(Milliseconds)),
  endedAt: EndedAt,
  failure: Type.Optional(Said('Why it failed; present when `status` is `failed`.', Failure)),
  sandbox,
})

/** The record of one call: GET /x402/escrow-calls/{callId}. */
export const EscrowCallRecord = Exactly({
  ...EscrowCall.properties,
  receivers: Type.Array(Type.String(), {
    description: 'All whom it is for: one, but of a claim any number.',
  }),
  channelIds: Type.Array(Type.String(), { description: 'All channels that it is about.' }),
})

export const EscrowCallPath = Exactly({
  callId: Type.String({ minLength: 1, maxLength: 128, description: 'esc_ and 22 characters.' }),
})

/** GET /x402/escrow-calls. */
export const EscrowCallsQuery = Exactly({
  operation: Type.Optional(
    Type.Enum(ESCROW_OPERATIONS, { description: 'Only calls of this kind.' }),
  ),
  status: Type.Optional(
    Type.Enum(ESCROW_CALL_STATUSES, { description: 'Only those that stand there now.' }),
  ),
  channelId: Short(66, 'Only those of this channel: 0x and 64 hex digits.'),
  transaction: Short(66, 'Only the one that was sent by this transaction.'),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Calls on a page.' }),
  ),
  cursor: Short(256, '`nextCursor` of the page before.'),
})

/** A page of the account's calls, newest first. */
export const EscrowCallsAnswer = Exactly({
  calls: Type.Array(EscrowCall, { description: 'Newest first.' }),
  hasMore: Type.Boolean({ description: 'Whether another page follows.' }),
  nextCursor: Said('The `cursor` of the next page; null on the last one.', Nullable(Type.String())),
})
