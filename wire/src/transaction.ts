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
} from './fields.ts'
import { PAYMENT_STATUSES } from './payment.ts'
import { PAYMENT_HEADER_CHARACTERS_MAX } from './x402/payment-header.ts'

const METADATA_BYTES_MAX = 8 * 1024
const TRANSACTION_CHARACTERS_MAX = 8_192

/** How the bytes of `transaction` are written. */
export const BUILD_FORMATS = ['solana-v0', 'eip1559-rlp'] as const

const Text = (description: string) => Type.String({ description })
const Short = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })
const HexText = (description: string) => Type.String({ pattern: '^0x[0-9a-f]*$', description })

const network = Type.Optional(
  Short(
    64,
    'CAIP-2, or an x402 v1 name. Left out, the default network of the family of `walletAddress`.',
  ),
)
const transaction = Short(
  TRANSACTION_CHARACTERS_MAX,
  'Base64. Solana: a whole transaction, `solana-v0`. EVM: what is signed, or with its signature, as `eth_sendRawTransaction` takes it.',
)

/** POST /transaction/send. Any amount above 0 that the asset can express. */
export const BuildBody = Exactly({
  walletAddress: Short(
    128,
    'Whose money is to move. Any address; this service needs no key of it.',
  ),
  recipientAddress: Short(128, 'Where the money goes.'),
  amount: MoneyText({ minimum: '0' }, 'Whole units of the asset; more than 0.'),
  resource: Type.Optional(HttpUrl('What the payment is for.')),
  metadata: Type.Optional(KeptObject(METADATA_BYTES_MAX, 'Your own facts; comes back as sent.')),
  priorityFee: Type.Optional(
    MoneyText(
      { minimum: '0', maximum: '1' },
      'Total priority fee of the transaction in native currency; automatic when left out.',
    ),
  ),
  network,
  asset: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      default: 'native',
      description: '`native`, a configured symbol, or the address of a configured asset.',
    }),
  ),
})

/** POST /transaction/receive. */
export const ReceiveBuildBody = Exactly({
  walletAddress: Short(
    128,
    'Your receiving address: who must be paid, and whose own wallet settles it.',
  ),
  paymentProof: Short(
    PAYMENT_HEADER_CHARACTERS_MAX,
    'The value of the `X-PAYMENT` or `PAYMENT-SIGNATURE` header as it came. Solana: the buyer must have named `walletAddress` as fee payer.',
  ),
  expectedAmount: MoneyText({}, 'What the buyer was asked to pay, whole units of the asset.'),
  resource: Type.Optional(HttpUrl('What it is for. A proof for something else is refused.')),
  facilitatorUrl: Type.Optional(HttpUrl('Only the one of this service; your own wallet settles.')),
  priorityFee: Type.Optional(
    MoneyText(
      { minimum: '0', maximum: '1' },
      'Total priority fee of the transaction in native currency; automatic when left out. On Solana the buyer has set it.',
    ),
  ),
  network: Type.Optional(
    Short(64, 'CAIP-2, or an x402 v1 name. Left out, the one that the proof names.'),
  ),
  asset: Type.Optional(
    Short(128, 'A configured symbol or address. Left out, the one that the proof names.'),
  ),
})

const summary = Exactly({
  feePayer: Said(
    'Who pays the network; null on EVM before the signature.',
    Nullable(Type.String()),
  ),
  transfers: Type.Array(
    Exactly({
      asset: Text('`native`, or the address or mint of the token.'),
      from: Said('Null: whoever signs.', Nullable(Type.String())),
      to: Text('Who gets it.'),
      amountBaseUnits: Said('In the smallest unit of the asset.', BaseUnitsText),
    }),
  ),
  commitments: Said(
    'What the chain will show of payments of this service.',
    Type.Array(Type.String()),
  ),
  createsAccounts: Said(
    'Solana: token accounts that it makes where they are missing.',
    Type.Array(
      Exactly({
        account: Text('The token account.'),
        owner: Text('Whose it is.'),
        asset: Text('The mint.'),
      }),
    ),
  ),
  others: Said(
    'Everything else that it does, in plain words. Empty: nothing.',
    Type.Array(Type.String()),
  ),
})

const unsigned = Exactly({
  to: Text('Whom the transaction calls.'),
  value: Said('Wei.', BaseUnitsText),
  data: HexText('Call data.'),
  nonce: Type.Integer({ minimum: 0 }),
  gas: BaseUnitsText,
  maxFeePerGas: Said('Wei.', BaseUnitsText),
  maxPriorityFeePerGas: Said('Wei.', BaseUnitsText),
  chainId: Type.Integer({ minimum: 1 }),
})

const sandbox = Type.Optional(
  Said('Present, and true, when it happened on a sandbox chain.', Type.Literal(true)),
)

/** The answer of POST /transaction/send. */
export const BuildAnswer = Exactly({
  paymentId: Text('Name of the payment: pay_ and 22 characters.'),
  status: Type.Enum(PAYMENT_STATUSES, { description: 'What is known of the payment now.' }),
  transaction: Text('Base64 of the unsigned transaction.'),
  format: Type.Enum(BUILD_FORMATS, {
    description:
      '`solana-v0`: a whole transaction of version 0 whose missing signatures are zeros. `eip1559-rlp`: what an EIP-1559 signature is over.',
  }),
  network: Text('CAIP-2 id.'),
  lastValidBlockHeight: Said(
    'Solana: the last block height that takes it. EVM: the height expected at `expiresAt`.',
    Type.Integer({ minimum: 0 }),
  ),
  expiresAt: Said('Until when it should be signed and sent, Unix milliseconds.', Milliseconds),
  expiryEnforcedByChain: Type.Boolean({
    description:
      'False: the chain still takes it later. It ends only when another transaction uses its nonce.',
  }),
  summary: Said('All that the transaction does.', summary),
  fee: Said('The most that the network may take, in native currency.', ExactNumber),
  priorityFee: Said('Of it, what is offered to be included sooner.', ExactNumber),
  accountRent: Said('Of it, rent of a token account that it may have to make.', ExactNumber),
  unsigned: Type.Optional(Said('EVM only: the same, field by field.', unsigned)),
  paymentProof: Said(
    'What the recipient shows to claim the payment, worth nothing before it is on chain. Null when the chain cannot show it. Keep it secret.',
    Nullable(Type.String()),
  ),
  estimatedConfirmation: Text('For people: "2-5 seconds".'),
  sandbox,
})

/** The answer of DELETE /transaction/{paymentId}. */
export const AbandonAnswer = Exactly({
  paymentId: Text('Name of the payment.'),
  abandoned: Type.Literal(true),
  status: Type.Enum(PAYMENT_STATUSES, { description: 'What the chain has shown so far.' }),
})

/** POST /transaction/simulate. */
export const SimulateBody = Exactly({
  transaction,
  walletAddress: Type.Optional(
    Short(128, 'Who would sign, where the bytes do not say it: EVM, unsigned.'),
  ),
  network,
})

/** The answer of POST /transaction/simulate. */
export const SimulateAnswer = Exactly({
  network: Text('CAIP-2 id.'),
  succeeds: Type.Boolean({ description: 'Whether it would take effect if it were sent now.' }),
  error: Said('Why it would not, in plain words.', Nullable(Type.String())),
  changes: Said(
    'What balances would do, without the fee of the network.',
    Type.Array(
      Exactly({
        address: Text('Whose balance.'),
        asset: Text('`native`, or the address or mint of the token.'),
        deltaBaseUnits: Type.String({ pattern: '^-?(0|[1-9][0-9]{0,77})$' }),
      }),
    ),
  ),
  fee: Said('What the network would take, in native currency.', ExactNumber),
  summary: Said('All that the transaction does, read from its bytes alone.', summary),
  signed: Type.Boolean({ description: 'Every signature is there and right.' }),
  sandbox,
})

/** POST /transaction/submit. */
export const SubmitBody = Exactly({
  transaction: Said(
    'Base64 of a transaction that was built for your account, with its signature.',
    transaction,
  ),
  walletAddress: Type.Optional(Short(128, 'Who signed; only says which network is meant.')),
  network,
})

/** The answer of POST /transaction/submit. */
export const SubmitAnswer = Exactly({
  paymentId: Text('The payment that it was built for.'),
  signature: Text('Its transaction: a hash on EVM, a signature on Solana.'),
  network: Text('CAIP-2 id.'),
  status: Type.Enum(PAYMENT_STATUSES, { description: 'What is known of the payment now.' }),
  accepted: Said(
    'Whether a node took it; null when nobody can say, then send it again.',
    Nullable(Type.Boolean()),
  ),
  reason: Said('Why no node took it, for programs; null when one did.', Nullable(Type.String())),
  approval: Type.Optional(
    Said(
      'Present, and true, when this was the allowance of a sale. It is stored and sent again until the sale is seen, and not followed: `status` is of the sale.',
      Type.Literal(true),
    ),
  ),
  sandbox,
})
