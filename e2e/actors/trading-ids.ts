import type { Row } from './foreign-ids.ts'

const TOKEN: Row = { fields: ['mint'], open: 'a token is there for everybody' }

const trading = (side: 'buy' | 'sell'): readonly Row[] =>
  ['publicKey', 'walletAddress'].map((field) => ({
    fields: [field],
    status: 404,
    ask: ({ wallet, token }) => ({
      method: 'POST',
      path: `/trade/${side}`,
      body: { [field]: wallet, mint: token, amount: 0.01 },
    }),
  }))

/** What trading, and looking at tokens, is given that may name a thing of somebody else's. */
export const tradingIds: Readonly<Record<string, readonly Row[]>> = {
  tokenInfo: [{ fields: ['mint'], open: 'tokens and their markets are public' }],
  tokenCandles: [{ fields: ['mint'], open: 'tokens and their markets are public' }],
  portfolio: [{ fields: ['publicKey'], open: 'what an address holds is on chain' }],
  quoteTrade: [
    TOKEN,
    {
      fields: ['publicKey', 'walletAddress'],
      open: 'a part of what any address holds, which is on chain',
    },
  ],
  buyToken: [...trading('buy'), TOKEN],
  sellToken: [...trading('sell'), TOKEN],
  buildBuy: [
    {
      fields: ['publicKey', 'walletAddress', 'mint'],
      open: 'any address may trade; its balance is on chain',
    },
  ],
  buildSell: [
    {
      fields: ['publicKey', 'walletAddress', 'mint'],
      open: 'any address may trade; its balance is on chain',
    },
  ],
  getTrade: [
    { fields: ['tradeId'], status: 404, ask: ({ tradeId }) => ({ path: `/trade/${tradeId}` }) },
  ],
  tradeHistory: [
    TOKEN,
    {
      fields: ['publicKey'],
      status: 200,
      ask: ({ wallet }) => ({ path: `/trade/history/${wallet}` }),
    },
    {
      fields: ['cursor'],
      status: 200,
      ask: ({ wallet, tradeCursor }) => ({
        path: `/trade/history/${wallet}?cursor=${tradeCursor}`,
      }),
    },
  ],
}
