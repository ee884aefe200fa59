import Type from 'typebox'
import {
  BaseUnitsText,
  Exactly,
  ExactNumber,
  Milliseconds,
  MoneyText,
  Nullable,
  Said,
  ShareText,
} from './fields.ts'
import { EndedAt, Failure, PAYMENT_STATUSES, WAIT_FOR } from './payment.ts'
import { BuildAnswer } from './transaction.ts'

/** Buy: native currency goes in and the token comes out. Sell: the other way round. */
export const TRADE_SIDES = ['buy', 'sell'] as const

/** What a trade takes when its caller says nothing of slippage. Percent. */
export const SLIPPAGE_PERCENT_DEFAULT = '10'

const Short = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })
const Text = (description: string) => Type.String({ description })
const Maybe = (description: string) => Said(description, Nullable(Type.String()))
const Units = (description: string) => Said(description, BaseUnitsText)
const MaybeUnits = (description: string) => Said(description, Nullable(BaseUnitsText))
const MaybeNumber = (description: string) => Said(description, Nullable(ExactNumber))

const terms = {
  mint: Short(128, 'The token: its mint, or its address on EVM.'),
  slippage: Type.Optional(
    MoneyText(
      { minimum: '0.1', maximum: '50' },
      'How much less than quoted may come out, in percent; 10 when left out. The chain itself refuses to give less.',
    ),
  ),
  slippageBps: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: 5000,
      description: 'The same in hundredths of a percent; instead of `slippage`.',
    }),
  ),
  network: Type.Optional(
    Short(64, 'CAIP-2, or an x402 v1 name; else the default network of the address’s family.'),
  ),
}
const wallet = (description: string) => ({
  publicKey: Type.Optional(Short(128, description)),
  walletAddress: Type.Optional(Short(128, 'The same under its other name; one of both.')),
})
const OWN = 'The wallet that trades: one that your account holds in this service.'
const ANY = 'The wallet that trades. Any address; this service needs no key of it.'
const priorityFee = (minimum: string, maximum: string) =>
  Type.Optional(
    MoneyText(
      { minimum, maximum },
      'Total priority fee of the transaction in native currency; automatic when left out.',
    ),
  )
const waiting = {
  waitFor: Type.Optional(
    Type.Enum(WAIT_FOR, {
      default: 'confirmed',
      description: 'How far the trade should have come before this answers.',
    }),
  ),
  timeout: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, default: 10, description: 'Seconds to wait.' }),
  ),
}
const sold = {
  amount: Type.Optional(
    ShareText('Tokens to sell, or a part of what the wallet has, such as `"50%"`.'),
  ),
  sellAll: Type.Optional(
    Type.Boolean({ description: 'True: everything that the wallet has, and no `amount`.' }),
  ),
}

/** POST /trade/buy. */
export const BuyBody = Exactly({
  ...wallet(OWN),
  ...terms,
  amount: MoneyText({ minimum: '0.001', maximum: '100' }, 'Native currency to spend.'),
  priorityFee: priorityFee('0.00001', '0.01'),
  ...waiting,
})

/** POST /trade/sell. */
export const SellBody = Exactly({
  ...wallet(OWN),
  ...terms,
  ...sold,
  priorityFee: priorityFee('0.00001', '0.01'),
  ...waiting,
})

/** POST /transaction/buy. */
export const BuyBuildBody = Exactly({
  ...wallet(ANY),
  ...terms,
  amount: MoneyText({ minimum: '0' }, 'Native currency to spend; more than 0.'),
  priorityFee: priorityFee('0', '1'),
})

/** POST /transaction/sell. */
export const SellBuildBody = Exactly({
  ...wallet(ANY),
  ...terms,
  ...sold,
  priorityFee: priorityFee('0', '1'),
})

/** GET /trade/quote. */
export const QuoteQuery = Exactly({
  side: Type.Enum(TRADE_SIDES, { description: '`buy`: native currency goes in. `sell`: tokens.' }),
  ...terms,
  amount: ShareText(
    'What goes in, whole units: native currency, or tokens; of a sale also a part of what a wallet has, such as `50%`.',
  ),
  ...wallet('The wallet of whose tokens a part is meant; any address. Only a part needs it.'),
})

const token = {
  network: Text('CAIP-2 id.'),
  mint: Text('The token in its one canonical spelling.'),
  symbol: Maybe('What its chain calls it; null when it does not say.'),
}
const minimum = {
  minimumReceived: Said('The least that the chain may give, whole units.', ExactNumber),
  minimumReceivedBaseUnits: Units('The same, exactly, in the smallest unit.'),
}
const estimate = {
  estimatedTokensReceived: Type.Optional(
    Said('Of a buy: what would come out now, in tokens.', ExactNumber),
  ),
  estimatedReceived: Type.Optional(
    Said('Of a sale: what would come out now, in native currency.', ExactNumber),
  ),
  estimatedBaseUnits: Units('The same, exactly, in the smallest unit.'),
  estimatedPrice: Said('Native currency per token at this estimate.', ExactNumber),
  priceImpact: MaybeNumber(
    'How much worse that is than the market’s price for next to nothing, in percent; null when nobody can know.',
  ),
  ...minimum,
  slippage: Said('Percent, as it was asked for.', ExactNumber),
  venue: Text('Which market gives it.'),
}
const sandbox = Type.Optional(
  Said('Present, and true, when it happened on a sandbox chain.', Type.Literal(true)),
)

/** The answer of GET /trade/quote. */
export const QuoteAnswer = Exactly({
  side: Type.Enum(TRADE_SIDES, { description: 'As it was asked.' }),
  ...token,
  decimals: Type.Integer({ minimum: 0, description: 'Of the token.' }),
  amount: Said('What would go in, whole units.', ExactNumber),
  amountBaseUnits: Units('The same, exactly, in the smallest unit.'),
  ...estimate,
  quotedHeight: Type.Integer({
    minimum: 0,
    description: 'Block, or slot on Solana, whose state it was computed from.',
  }),
  expiresAt: Said(
    'Until when the market stands by it, Unix milliseconds; null: it promises nothing.',
    Nullable(Milliseconds),
  ),
  sandbox,
})

const facts = {
  tradeId: Text('Name of the trade: trd_ and 22 characters.'),
  paymentId: Text('The payment that carries it: its record has attempts and finality.'),
  signature: Maybe(
    'The transaction that took effect, or the newest attempt while none has: a hash on EVM, a signature on Solana.',
  ),
  publicKey: Text('The wallet that trades.'),
  ...token,
  amount: Said(
    'What went in, whole units: native currency of a buy, tokens of a sale. What was offered, until the market is seen to have taken it.',
    ExactNumber,
  ),
  amountBaseUnits: Units('The same, exactly, in the smallest unit.'),
  offered: Type.Optional(
    Said(
      'Present where the market took a part only, since its liquidity ended: what was offered. The rest is still there, or came back in the same transaction.',
      ExactNumber,
    ),
  ),
  offeredBaseUnits: Type.Optional(Units('The same, exactly, in the smallest unit.')),
  ...minimum,
  effectivePrice: MaybeNumber(
    'Native currency per token really paid, the network’s fee apart; null until it is known.',
  ),
  slippage: Said('Percent that was allowed.', ExactNumber),
  slippageUsed: MaybeNumber(
    'Percent less than quoted for what went in that really came, 0 when it was no less; null until it is known.',
  ),
  priceImpact: MaybeNumber('As it was quoted, in percent.'),
  priorityFeeUsed: MaybeNumber(
    'What its transaction really paid to be included sooner, a part of `fee`: never more than was offered, which `priorityFee` of the payment tells. An allowance before it is not counted. Null until the trade took effect, where the chain does not tell, and for trades seen by a version that did not note it.',
  ),
  fee: MaybeNumber('What the network took, in native currency; null before that is known.'),
  venue: Text('Which market it was traded at.'),
  status: Type.Enum(PAYMENT_STATUSES, { description: 'What is known of it now.' }),
  blockHeight: Said(
    'Block that holds it; slot on Solana. Null while none does.',
    Nullable(Type.Integer({ minimum: 0 })),
  ),
}
const bought = {
  tokensReceived: MaybeNumber('Tokens that really came in; null until that is seen.'),
  tokensReceivedBaseUnits: MaybeUnits('The same, exactly, in the smallest unit.'),
}
const given = {
  tokensSold: Said('Tokens that were sold.', ExactNumber),
  tokensSoldBaseUnits: Units('The same, exactly, in the smallest unit.'),
  received: MaybeNumber('Native currency that really came in; null until that is seen.'),
  receivedBaseUnits: MaybeUnits('The same, exactly, in the smallest unit.'),
}
const estimatedConfirmation = Maybe('For people: "2-5 seconds".')

/** The answer of POST /trade/buy. */
export const BuyAnswer = Exactly({ ...facts, ...bought, estimatedConfirmation, sandbox })

/** The answer of POST /trade/sell. */
export const SellAnswer = Exactly({ ...facts, ...given, estimatedConfirmation, sandbox })

const record = {
  ...facts,
  side: Type.Enum(TRADE_SIDES, { description: 'Which way it went.' }),
  tokensReceived: Type.Optional(bought.tokensReceived),
  tokensReceivedBaseUnits: Type.Optional(bought.tokensReceivedBaseUnits),
  tokensSold: Type.Optional(given.tokensSold),
  tokensSoldBaseUnits: Type.Optional(given.tokensSoldBaseUnits),
  received: Type.Optional(given.received),
  receivedBaseUnits: Type.Optional(given.receivedBaseUnits),
  createdAt: Milliseconds,
  confirmedAt: Said('When it was first seen on chain, Unix milliseconds.', Nullable(Milliseconds)),
  settledAt: Said('When it became final, Unix milliseconds.', Nullable(Milliseconds)),
  endedAt: EndedAt,
  selfCustody: Type.Optional(
    Said('Present, and true, when it was built here and is signed elsewhere.', Type.Literal(true)),
  ),
  failure: Type.Optional(Said('Why it failed; present when `status` is `failed`.', Failure)),
  sandbox,
}

export const TradePath = Exactly({
  tradeId: Type.String({ minLength: 1, maxLength: 128, description: 'trd_ and 22 characters.' }),
})

/** GET /trade/{tradeId}. */
export const TradeRecord = Exactly(record)

export const TradeHistoryPath = Exactly({
  publicKey: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'Any address of either chain family, a wallet of yours or not.',
  }),
})

/** GET /trade/history/{publicKey}. */
export const TradeHistoryQuery = Exactly({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'Trades on a page.' }),
  ),
  cursor: Type.Optional(Short(256, '`nextCursor` of the page before.')),
  mint: Type.Optional(Short(128, 'Only those of this token.')),
})

/** A page of trades, newest first. */
export const TradeHistoryAnswer = Exactly({
  publicKey: Text('The address in its one canonical spelling.'),
  trades: Type.Array(TradeRecord, { description: 'Newest first.' }),
  limit: Type.Integer({ minimum: 1, description: 'What was asked for.' }),
  hasMore: Type.Boolean({ description: 'Whether another page follows.' }),
  nextCursor: Said('The `cursor` of the next page; null on the last one.', Nullable(Type.String())),
})

/** The allowance that has to be on chain before a sale, as a transaction of its own. */
const approval = Exactly({
  transaction: Text('Base64 of the unsigned transaction.'),
  format: BuildAnswer.properties.format,
  summary: BuildAnswer.properties.summary,
  fee: BuildAnswer.properties.fee,
  unsigned: BuildAnswer.properties.unsigned,
})

/** The answer of POST /transaction/buy and /transaction/sell. */
export const TradeBuildAnswer = Exactly({
  tradeId: facts.tradeId,
  ...BuildAnswer.properties,
  ...estimate,
  approval: Type.Optional(
    Said(
      'EVM, a sale whose market may not take the tokens yet: sign and send this first. It allows exactly the amount.',
      approval,
    ),
  ),
})
