import type { OperationReference } from './operation-reference.ts'

const MINT = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed'
const NETWORK = 'eip155:84532'

export const tokenInfo: OperationReference = {
  title: 'Look a token up',
  about: [
    'What the chain says of a token, and what its markets showed. Whatever is not known is `null`, never 0. An address that is no token is `INVALID_MINT`.',
    '`price` is native currency for one whole token: the ratio of what the deepest pool holds, or the last trade where no pool shows that. A pool with a hub counts, too, where the hub has a price of its own: then `priceUpdatedAt` is the older of both, `liquidity` no more than either of both has, and `priceChange24h` and `volume24h` stay `null` unless native currency is traded for it as well. Prices in dollars need a reference that the operator has configured. `priceChange24h`, `liquidity` and `volume24h` are of what this installation has observed, so they begin with the day on which it began.',
    'What the chain says is at most 30 seconds old, `holders` at most a minute; prices are those of the newest block that was read. Names, symbols and pictures are what the token itself claims.',
  ],
  params: { mint: MINT },
  query: { network: NETWORK },
  answer: {
    mint: MINT,
    network: NETWORK,
    name: 'Degen',
    symbol: 'DEGEN',
    decimals: 18,
    supply: 1000000,
    supplyBaseUnits: '1000000000000000000000000',
    price: 0.0025,
    priceUsd: 7.5,
    priceUpdatedAt: 1789999998000,
    priceChange24h: -1.25,
    marketCap: 2500,
    marketCapUsd: 7500000,
    liquidity: 80,
    liquidityBaseUnits: '80000000000000000000',
    volume24h: 12.5,
    volume24hBaseUnits: '12500000000000000000',
    holders: null,
    creator: null,
    createdAt: null,
    image: null,
    mintAuthority: null,
    freezeAuthority: null,
    extensions: [],
    sandbox: false,
  },
}

export const listTokens: OperationReference = {
  title: 'List traded tokens',
  about: [
    'Tokens that a market of an enabled network has shown, with their prices; more of each from GET /token/info. At most 5 seconds old.',
  ],
  query: { network: NETWORK },
  answer: {
    tokens: [
      {
        mint: MINT,
        network: NETWORK,
        name: 'Degen',
        symbol: 'DEGEN',
        decimals: 18,
        price: 0.0025,
        priceUsd: 7.5,
        priceChange24h: -1.25,
        liquidity: 80,
        volume24h: 12.5,
      },
    ],
  },
}

export const tokenCandles: OperationReference = {
  title: 'Read candles',
  about: [
    'Open, high, low and close of a token in stretches of a minute, five minutes, an hour or a day (UTC), oldest first. A stretch without a trade has no candle. The newest candle still changes; candles of blocks that the chain left change back.',
    'Candles of minutes are kept for 30 days, of hours and days for 400. With more candles than `limit` the newest are shown: go on backwards with the `time` of the first as `to`.',
  ],
  params: { mint: MINT },
  query: { interval: '1h', limit: 2 },
  answer: {
    mint: MINT,
    network: NETWORK,
    interval: '1h',
    candles: [
      {
        time: 1789992000000,
        open: 0.0024,
        high: 0.0026,
        low: 0.0024,
        close: 0.0025,
        nativeVolume: 1.5,
        nativeVolumeBaseUnits: '1500000000000000000',
        trades: 14,
      },
      {
        time: 1789995600000,
        open: 0.0025,
        high: 0.0025,
        low: 0.0025,
        close: 0.0025,
        nativeVolume: 0.01,
        nativeVolumeBaseUnits: '10000000000000000',
        trades: 1,
      },
    ],
  },
}

export const portfolio: OperationReference = {
  title: 'Read a portfolio',
  about: [
    'What any address holds, all at one block, and what it is worth now; the most valuable first. On Solana that is every token of the address. A chain of the EVM keeps no such list: there it is native currency, the configured assets and the tokens with the deepest markets.',
    '`value` is the balance at the price. It is `null` when nobody knows the price, and when the market holds less than that: such a value is only on paper. `totalValue` adds up what has a value; `unvalued` says how many tokens are not in it.',
    'A configured asset, or a token that your account has traded from there, whose contract does not tell the balance stands in `unread`, which is left out where all was read.',
  ],
  params: { publicKey: '0x8Ba1f109551bD432803012645Ac136ddd64DBA72' },
  query: { network: NETWORK },
  answer: {
    publicKey: '0x8Ba1f109551bD432803012645Ac136ddd64DBA72',
    network: NETWORK,
    nativeBalance: 1.5,
    nativeBalanceBaseUnits: '1500000000000000000',
    totalValue: 1.75,
    totalValueBaseUnits: '1750000000000000000',
    totalValueUsd: 5250,
    unvalued: 0,
    tokens: [
      {
        mint: MINT,
        symbol: 'DEGEN',
        decimals: 18,
        balance: 100,
        balanceBaseUnits: '100000000000000000000',
        price: 0.0025,
        value: 0.25,
        valueBaseUnits: '250000000000000000',
        valueUsd: 750,
      },
    ],
    blockHeight: 34118222,
    sandbox: false,
  },
}
