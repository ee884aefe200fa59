import Type from 'typebox'
import {
  BaseUnitsText,
  Exactly,
  ExactNumber,
  HttpUrl,
  Milliseconds,
  MoneyText,
  Nullable,
} from './fields.ts'

const FAMILIES = ['evm', 'solana'] as const
const ENTRIES_MAX = 100

export const WalletPath = Exactly({
  address: Type.String({ minLength: 1, maxLength: 128 }),
})

export const CreateWalletBody = Exactly({
  family: Type.Enum(FAMILIES),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
})

const wallet = {
  walletId: Type.String(),
  address: Type.String(),
  family: Type.Enum(FAMILIES),
  label: Nullable(Type.String()),
  createdAt: Milliseconds,
  sandbox: Type.Optional(Type.Literal(true)),
}

/** The answer of POST /wallets. */
export const Wallet = Exactly(wallet)

/** The answer of GET /wallets: all of them, oldest first. */
export const WalletList = Exactly({
  wallets: Type.Array(Wallet),
})

/** One asset of one network: what is there, what payments under way hold, and what is left to spend. */
export const Balance = Exactly({
  network: Type.String(),
  asset: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer({ minimum: 0 }),
  amount: ExactNumber,
  amountBaseUnits: BaseUnitsText,
  held: ExactNumber,
  heldBaseUnits: BaseUnitsText,
  available: ExactNumber,
  availableBaseUnits: BaseUnitsText,
  height: Type.Integer({ minimum: 0 }),
})

const per = (description: string) => Type.Optional(MoneyText({}, description))

/** PUT /wallets/{address}/policy: replaces the whole policy; `{}` removes it. Amounts in whole units of the asset. */
export const WalletPolicyBody = Exactly({
  limits: Type.Optional(
    Type.Array(
      Exactly({
        network: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        asset: Type.Optional(Type.String({ minLength: 1, maxLength: 128, default: 'native' })),
        perPayment: per('The most that one payment may move.'),
        perHour: per('The most within any 60 minutes.'),
        perDay: per('The most within any 24 hours.'),
        perMonth: per('The most within any 30 days.'),
      }),
      {
        maxItems: ENTRIES_MAX,
        description: 'When there are any, an asset without an entry may not be spent.',
      },
    ),
  ),
  recipients: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      maxItems: ENTRIES_MAX,
      description: 'When given, only these may be paid.',
    }),
  ),
  resources: Type.Optional(
    Type.Array(HttpUrl('A resource, or the start of its path.'), {
      maxItems: ENTRIES_MAX,
      description: 'When given, a payment must name one of these resources.',
    }),
  ),
})

/** A policy as it is in force. */
export const WalletPolicy = Exactly({
  limits: Type.Array(
    Exactly({
      network: Type.String(),
      asset: Type.String(),
      perPayment: Type.Optional(ExactNumber),
      perHour: Type.Optional(ExactNumber),
      perDay: Type.Optional(ExactNumber),
      perMonth: Type.Optional(ExactNumber),
    }),
  ),
  recipients: Nullable(Type.Array(Type.String())),
  resources: Nullable(Type.Array(Type.String())),
})

/** The answer of GET /wallets/{address}. */
export const WalletDetail = Exactly({
  ...wallet,
  balances: Type.Array(Balance),
  policy: Nullable(WalletPolicy),
})

/** The answer of DELETE /wallets/{address}. */
export const WalletDeleted = Exactly({
  walletId: Type.String(),
  address: Type.String(),
  deletedAt: Milliseconds,
})

/** The answer of PUT /wallets/{address}/policy. */
export const WalletPolicyAnswer = Exactly({
  address: Type.String(),
  policy: Nullable(WalletPolicy),
})
