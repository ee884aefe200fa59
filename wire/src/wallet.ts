import Type from 'typebox'
import {
  BaseUnitsText,
  Exactly,
  ExactNumber,
  HttpUrl,
  Milliseconds,
  MoneyText,
  Nullable,
  Said,
} from './fields.ts'

const FAMILIES = ['evm', 'solana'] as const
const ENTRIES_MAX = 100

export const WalletPath = Exactly({
  address: Type.String({ minLength: 1, maxLength: 128, description: 'A wallet of your account.' }),
})

export const CreateWalletBody = Exactly({
  family: Type.Enum(FAMILIES, { description: 'Which kind of chain it is for.' }),
  label: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'What you call it.' }),
  ),
})

const Text = (description: string) => Type.String({ description })

const wallet = {
  walletId: Text('Name of the wallet: wal_ and 22 characters.'),
  address: Text('Where it is paid, and what requests call it.'),
  family: Type.Enum(FAMILIES, { description: 'It works on every enabled network of this family.' }),
  label: Said('What you called it.', Nullable(Type.String())),
  createdAt: Milliseconds,
  sandbox: Type.Optional(
    Said('Present, and true, when it pays on a sandbox chain only.', Type.Literal(true)),
  ),
}

/** The answer of POST /wallets. */
export const Wallet = Exactly(wallet)

/** The answer of GET /wallets: all of them, oldest first. */
export const WalletList = Exactly({
  wallets: Type.Array(Wallet),
})

const figures = {
  asset: Text('`native`, or the address or mint of the token.'),
  symbol: Text('What people call it.'),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole unit.' }),
  amount: Said('What the chain shows, frozen or not, whole units.', ExactNumber),
  amountBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  held: Said('What payments under way may still take, whole units.', ExactNumber),
  heldBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  available: Said('What the next payment may use, whole units.', ExactNumber),
  availableBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
}

/** One asset of one network: what is there, what payments under way hold, and what is left to spend. */
export const Balance = Exactly({
  network: Text('CAIP-2 id.'),
  ...figures,
  height: Type.Integer({ minimum: 0, description: 'Block, or slot, that this was read at.' }),
  alsoAs: Type.Optional(
    Type.Array(Exactly(figures), {
      description:
        'The same money, not more of it: tokens of the network that are this currency under another name, such as USDC on Arc.',
    }),
  ),
})

/** An asset of one network whose balance could not be read. */
const UnreadAsset = Exactly({
  network: Text('CAIP-2 id.'),
  asset: Text('`native`, or the address or mint of the token.'),
  symbol: Text('What people call it.'),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole unit.' }),
})

const per = (description: string) => Type.Optional(MoneyText({}, description))

/** PUT /wallets/{address}/policy: replaces the whole policy; `{}` removes it. Amounts in whole units of the asset. */
export const WalletPolicyBody = Exactly({
  limits: Type.Optional(
    Type.Array(
      Exactly({
        network: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 64,
            description: 'Left out, the first configured one of the family.',
          }),
        ),
        asset: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 128,
            default: 'native',
            description: '`native`, a configured symbol, or the address of a configured asset.',
          }),
        ),
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

const most = (within: string) =>
  Type.Optional(Said(`The most that ${within} may move, whole units.`, ExactNumber))

/** A policy as it is in force. */
export const WalletPolicy = Exactly({
  limits: Type.Array(
    Exactly({
      network: Text('CAIP-2 id.'),
      asset: Text('`native`, or the address or mint of the token.'),
      perPayment: most('one payment'),
      perHour: most('any 60 minutes'),
      perDay: most('any 24 hours'),
      perMonth: most('any 30 days'),
    }),
    { description: 'When there are any, an asset without an entry may not be spent.' },
  ),
  recipients: Said('Who may be paid; null when anybody may.', Nullable(Type.Array(Type.String()))),
  resources: Said(
    'What may be paid for; null when anything may.',
    Nullable(Type.Array(Type.String())),
  ),
})

/** One limit of a policy over time, and what is taken of it in the window that ends now. */
export const Budget = Exactly({
  network: Text('CAIP-2 id.'),
  asset: Text('`native`, or the address or mint of the token.'),
  rule: Type.Enum(['perHour', 'perDay', 'perMonth'], { description: 'Which limit.' }),
  windowSeconds: Type.Integer({
    minimum: 1,
    description: 'It counts what was sent within so long before now: nothing is reset at midnight.',
  }),
  allowed: Said('What it allows, whole units.', ExactNumber),
  allowedBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  spent: Said('Of payments that are final, whole units.', ExactNumber),
  spentBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  held: Said('Of payments under way, given back if they fail, whole units.', ExactNumber),
  heldBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  left: Said('What the next payments may still take, whole units.', ExactNumber),
  leftBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
})

/** The answer of GET /wallets/{address}. */
export const WalletDetail = Exactly({
  ...wallet,
  balances: Type.Array(Balance, {
    description:
      'One entry for each asset of each enabled network of the family that could be read.',
  }),
  unread: Type.Optional(
    Type.Array(UnreadAsset, {
      description:
        'Assets of which no node told the balance, whose contract failed or whose network did not answer: unknown, not zero. Left out where there are none.',
    }),
  ),
  policy: Said('Null when there is none.', Nullable(WalletPolicy)),
  budgets: Type.Array(Budget, {
    description:
      'One entry for each limit over time that the policy sets, the shortest window first.',
  }),
})

/** The answer of DELETE /wallets/{address}. */
export const WalletDeleted = Exactly({
  walletId: Text('Name of the wallet that was.'),
  address: Text('It is never given out again.'),
  deletedAt: Milliseconds,
})

/** The answer of PUT /wallets/{address}/policy. */
export const WalletPolicyAnswer = Exactly({
  address: Text('The wallet that it holds for.'),
  policy: Said('As it is in force; null when there is none.', Nullable(WalletPolicy)),
})
