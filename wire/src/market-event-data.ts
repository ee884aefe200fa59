import Type from 'typebox'
import type { TObject } from 'typebox'
import type { MarketEventType } from './event-types.ts'
import { BaseUnitsText, Exactly, Milliseconds, Nullable, Said } from './fields.ts'

const Text = (description: string) => Type.String({ description })
const MaybeText = (description: string) => Said(description, Nullable(Type.String()))
const sandbox = Type.Optional(
  Type.Literal(true, { description: 'A local chain whose money is worth nothing.' }),
)
const retracted = Type.Optional(
  Type.Literal(true, {
    description: 'The chain left the block that showed it: this did not happen.',
  }),
)
const where = {
  network: Text('CAIP-2.'),
  mint: Text('The token.'),
  symbol: MaybeText('What the token calls itself; anybody may call a token anything.'),
}
const price = Text('Native currency for one whole token, decimal text.')
const priceUsd = MaybeText('US dollars for one whole token; null when nobody knows.')
const blockHeight = Text('The block, decimal text.')

/** What `data` of a market event holds, by its type. New fields may come. */
export const marketEventData = {
  trade: Exactly({
    ...where,
    venue: Text('Where it was traded.'),
    market: Text('The pool, or the maker.'),
    side: Type.Enum(['buy', 'sell'], { description: '`buy`: native currency for the token.' }),
    trader: Text('Whose trade it was, as the chain shows it.'),
    nativeAmount: Text('Whole native coins, decimal text.'),
    nativeAmountBaseUnits: BaseUnitsText,
    tokenAmount: Text('Whole tokens, decimal text.'),
    tokenAmountBaseUnits: BaseUnitsText,
    price: Said('Price of the market after the trade: native currency for one whole token.', price),
    priceUsd,
    signature: Text('The transaction.'),
    effectIndex: Type.Integer({ description: 'Tells the trades of one transaction apart.' }),
    blockHeight,
    blockTime: Said('Of the block, Unix milliseconds.', Milliseconds),
    retracted,
    sandbox,
  }),
  newToken: Exactly({
    ...where,
    name: MaybeText('What the token calls itself in full.'),
    decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole token.' }),
    venue: Text('Where it can be traded from here on.'),
    market: Text('The pool, or the maker.'),
    creator: MaybeText('Who opened the market, when the chain shows it.'),
    signature: Text('The transaction that opened it.'),
    blockHeight,
    blockTime: Said('Of the block, Unix milliseconds.', Milliseconds),
    retracted,
    sandbox,
  }),
  priceUpdate: Exactly({
    ...where,
    price,
    priceUsd,
    blockHeight,
    sandbox,
  }),
} as const satisfies Record<MarketEventType, TObject>
