import Type from 'typebox'
import {
  BaseUnitsText,
  ExactNumber,
  Exactly,
  Milliseconds,
  Nullable,
  Said,
  SentMilliseconds,
} from './fields.ts'

/** Lengths of a candle by name, in seconds. */
export const CANDLE_SECONDS = { '1m': 60, '5m': 300, '1h': 3_600, '1d': 86_400 } as const
export type CandleInterval = keyof typeof CANDLE_SECONDS
export const CANDLE_INTERVALS = ['1m', '5m', '1h', '1d'] as const satisfies CandleInterval[]
export const CANDLES_MAX = 1_000

const Time = (description: string) => Type.Optional(Said(description, SentMilliseconds))

const MaybeNumber = (description: string) => Said(description, Nullable(ExactNumber))
const MaybeText = (description: string) => Said(description, Nullable(Type.String()))
const MaybeUnits = (description: string) => Said(description, Nullable(BaseUnitsText))

export const NetworkQuery = Exactly({
  network: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'CAIP-2, or an x402 v1 name; left out, the default network of the family of the address.',
    }),
  ),
})

export const TokenPath = Exactly({
  mint: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'EVM: the address of the token. Solana: its mint.',
  }),
})

/** GET /token/info/{mint}. What is not known is null, never 0. */
export const TokenInfo = Exactly({
  mint: Type.String({ description: 'The token in its one spelling.' }),
  network: Type.String({ description: 'CAIP-2.' }),
  name: MaybeText('As the token says it; anybody may call a token anything.'),
  symbol: MaybeText('The same, short.'),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole token.' }),
  supply: Said('Whole tokens that exist.', ExactNumber),
  supplyBaseUnits: BaseUnitsText,
  price: MaybeNumber('Native currency for one whole token.'),
  priceUsd: MaybeNumber('US dollars for one whole token.'),
  priceUpdatedAt: Said(
    'Block time of the reserves or the trade that the price is read from, Unix milliseconds.',
    Nullable(Milliseconds),
  ),
  priceChange24h: MaybeNumber('Percent since a day ago.'),
  marketCap: MaybeNumber('What the whole supply is worth at the price, in native currency.'),
  marketCapUsd: MaybeNumber('The same in US dollars.'),
  liquidity: MaybeNumber('What both sides of its pools are worth, in native currency.'),
  liquidityBaseUnits: MaybeUnits('The same in the smallest native unit.'),
  volume24h: MaybeNumber('Native currency that changed hands in 24 hours, of what was observed.'),
  volume24hBaseUnits: MaybeUnits('The same in the smallest native unit.'),
  holders: Said(
    'Addresses that hold some of it, where the chain can say.',
    Nullable(Type.Integer({ minimum: 0 })),
  ),
  creator: MaybeText('Who made the token.'),
  createdAt: Said('When it was made, Unix milliseconds.', Nullable(Milliseconds)),
  image: MaybeText('Address of a picture, as the token says it; nobody has looked at it.'),
  mintAuthority: MaybeText('Solana: who may make more of it; null also means nobody.'),
  freezeAuthority: MaybeText('Solana: who may freeze accounts of it; null also means nobody.'),
  extensions: Type.Array(Type.String(), { description: 'Solana, Token-2022: what it has.' }),
  sandbox: Type.Boolean({ description: 'A local chain whose money is worth nothing.' }),
})

/** GET /token/candles/{mint}. */
export const CandlesQuery = Exactly({
  ...NetworkQuery.properties,
  interval: Type.Optional(
    Type.Enum(CANDLE_INTERVALS, { default: '1m', description: 'Length of one candle.' }),
  ),
  from: Time('Candles that begin then or later: Unix milliseconds.'),
  to: Time('Candles that begin before: Unix milliseconds; left out, now.'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: CANDLES_MAX,
      default: 500,
      description: 'Candles at most; of more the newest.',
    }),
  ),
})

const Candle = Exactly({
  time: Said('When it begins, Unix milliseconds.', Milliseconds),
  open: Said('Native currency for one whole token, of its first trade.', ExactNumber),
  high: Said('The highest.', ExactNumber),
  low: Said('The lowest.', ExactNumber),
  close: Said('Of its last trade.', ExactNumber),
  nativeVolume: Said('Native currency that changed hands.', ExactNumber),
  nativeVolumeBaseUnits: Said('The same in the smallest native unit.', Type.String()),
  trades: Type.Integer({ minimum: 1, description: 'How many.' }),
})

export const CandlesAnswer = Exactly({
  mint: Type.String({ description: 'The token in its one spelling.' }),
  network: Type.String({ description: 'CAIP-2.' }),
  interval: Type.Enum(CANDLE_INTERVALS, { description: 'Length of one candle.' }),
  candles: Type.Array(Candle, {
    description: 'Oldest first. A stretch without a trade has none.',
  }),
})

export const PortfolioPath = Exactly({
  publicKey: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'Any address of either chain family, a wallet of yours or not.',
  }),
})

const PortfolioToken = Exactly({
  mint: Type.String({ description: 'The token.' }),
  symbol: MaybeText('As the token says it; null when nobody has asked it yet.'),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole token.' }),
  balance: Said('Whole tokens.', ExactNumber),
  balanceBaseUnits: BaseUnitsText,
  price: MaybeNumber('Native currency for one whole token.'),
  value: MaybeNumber(
    'The balance at the price, in native currency; null where its market could not pay that much.',
  ),
  valueBaseUnits: MaybeUnits('The same in the smallest native unit.'),
  valueUsd: MaybeNumber('The same in US dollars.'),
})

/** GET /portfolio/{publicKey}. */
export const Portfolio = Exactly({
  publicKey: Type.String({ description: 'The address in its one spelling.' }),
  network: Type.String({ description: 'CAIP-2.' }),
  nativeBalance: Said('Whole native coins.', ExactNumber),
  nativeBalanceBaseUnits: BaseUnitsText,
  totalValue: Said(
    'Native currency and everything that has a value in it; `unvalued` says how many tokens are not in it.',
    ExactNumber,
  ),
  totalValueBaseUnits: Said('The same in the smallest native unit.', BaseUnitsText),
  totalValueUsd: MaybeNumber('The same in US dollars.'),
  unvalued: Type.Integer({ minimum: 0, description: 'Tokens whose value nobody knows.' }),
  tokens: Type.Array(PortfolioToken, { description: 'What it holds; the most valuable first.' }),
  unread: Type.Optional(
    Type.Array(
      Exactly({
        mint: Type.String({ description: 'The token.' }),
        symbol: MaybeText('As the token says it; null when nobody has asked it yet.'),
      }),
      {
        description:
          'Configured assets, and tokens that your account traded from here, whose contract did not tell the balance: unknown, not zero. Left out where there are none.',
      },
    ),
  ),
  blockHeight: Type.Integer({ minimum: 0, description: 'Block, or slot, of the balances.' }),
  sandbox: Type.Boolean({ description: 'A local chain whose money is worth nothing.' }),
})

/** GET /tokens. */
export const TokenListQuery = Exactly({
  network: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'CAIP-2, or an x402 v1 name; left out, all networks.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Tokens of each network.' }),
  ),
})

const ListedToken = Exactly({
  mint: Type.String({ description: 'The token.' }),
  network: Type.String({ description: 'CAIP-2.' }),
  name: MaybeText('As the token says it; anybody may call a token anything.'),
  symbol: MaybeText('The same, short.'),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole token.' }),
  price: MaybeNumber('Native currency for one whole token.'),
  priceUsd: MaybeNumber('US dollars for one whole token.'),
  priceChange24h: MaybeNumber('Percent since a day ago.'),
  liquidity: MaybeNumber('What both sides of its pools are worth, in native currency.'),
  volume24h: MaybeNumber('Native currency that changed hands in 24 hours, of what was observed.'),
})

/** The answer of GET /tokens. */
export const TokenList = Exactly({
  tokens: Type.Array(ListedToken, {
    description: 'By network, those first whose pools hold the most.',
  }),
})
