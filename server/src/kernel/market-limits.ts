/** Bounds of what follows markets, tells of them, and says what tokens and portfolios are: a part of the table of limits. */
export const marketLimits = {
  /** Blocks whose markets are read at once, and so many of their facts are stored with one step, unless a single block has more. */
  marketBlocksPerRoundMax: 20,
  marketFactsPerRoundMax: 2_000,
  /** Blocks below the final one that are read first, so that a new installation knows markets that were there before it. */
  marketLookBackBlocks: 2_000,
  /** What lies further behind the head is stored and not told: nobody waits for it any more. */
  marketLiveBlocksMax: 150,
  /** How long market events can be read by other instances. */
  marketEventSeconds: 60,
  /** How often an instance looks how far market events have come while nobody listens to it, whatever it is told. */
  marketUnheardLookMilliseconds: 5_000,
  /** How late an instance hears of a market event whose notification was lost, and how many it reads at once. */
  marketLookAgainMilliseconds: 1_000,
  marketEventsPerReadMax: 500,
  /** Of one slow reader: trades and new tokens that wait, the newest; and tokens of which the newest price waits. */
  marketTradesWaitingMax: 100,
  marketPricesWaitingMax: 500,
  /** A price is told at once when it moved by so many millionths, and a smaller move after so long. */
  priceMoveMillionths: 1_000,
  priceQuietMilliseconds: 5_000,
  /** Tokens whose last told price is remembered, of one network. */
  toldPricesMax: 10_000,
  /** Kept trades and short candles, and long ones; removed a bounded number at a time. */
  marketTradeDays: 30,
  marketCandleDays: 400,
  marketForgetMax: 10_000,
  /** Of a name or symbol that a token says; the rest is cut. */
  tokenTextCharactersMax: 100,
  /** How old a list of traded tokens may be, and lists that are kept: one per network and length. */
  tokenListSeconds: 5,
  tokenListsKeptMax: 100,
  /** How old facts of a token may be, and how many people hold it; how long an address counts as none; how many are kept. */
  tokenFactsSeconds: 30,
  tokenHoldersSeconds: 60,
  noTokenSeconds: 5,
  tokensKeptMax: 10_000,
  /** Tokens of markets that an EVM address is asked about, the deepest markets first. */
  portfolioTokensMax: 200,
} as const
