import { bare } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import {
  BuyAnswer,
  BuyBody,
  BuyBuildBody,
  QuoteAnswer,
  QuoteQuery,
  SellAnswer,
  SellBody,
  SellBuildBody,
  TradeBuildAnswer,
  TradeHistoryAnswer,
  TradeHistoryPath,
  TradeHistoryQuery,
  TradePath,
  TradeRecord,
} from './trade.ts'

const trade = { scope: 'trade', plan: 'standard' } as const
const direct = { scope: 'trade', plan: 'premium' } as const

/** What any trade may be refused for. */
const marketFails = [
  'INVALID_MINT',
  'INSUFFICIENT_LIQUIDITY',
  'UNSUPPORTED_NETWORK',
  'NETWORK_ERROR',
] as const
const directFails = [
  ...marketFails,
  'SLIPPAGE_EXCEEDED',
  'INSUFFICIENT_BALANCE',
  'POLICY_REFUSED',
  'NOT_FOUND',
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_MISMATCH',
  'TRANSACTION_FAILED',
] as const

const buildFails = [
  ...marketFails,
  'SLIPPAGE_EXCEEDED',
  'INSUFFICIENT_BALANCE',
  'IDEMPOTENCY_MISMATCH',
] as const

/** The rows of trading: a part of the endpoint table. */
export const tradeEndpoints = {
  quoteTrade: {
    ...bare,
    id: 'quoteTrade',
    method: 'GET',
    path: '/trade/quote',
    summary: 'What a token would cost, or bring, at this moment',
    needs: trade,
    query: QuoteQuery,
    answer: QuoteAnswer,
    fails: [...marketFails, 'INSUFFICIENT_BALANCE'],
  },
  buyToken: {
    ...bare,
    id: 'buyToken',
    method: 'POST',
    path: '/trade/buy',
    summary: 'Buy a token from a wallet that the service holds',
    needs: direct,
    idempotent: true,
    body: BuyBody,
    answer: BuyAnswer,
    fails: directFails,
  },
  sellToken: {
    ...bare,
    id: 'sellToken',
    method: 'POST',
    path: '/trade/sell',
    summary: 'Sell a token from a wallet that the service holds',
    needs: direct,
    idempotent: true,
    body: SellBody,
    answer: SellAnswer,
    fails: directFails,
  },
  buildBuy: {
    ...bare,
    id: 'buildBuy',
    method: 'POST',
    path: '/transaction/buy',
    summary: 'Build a buy that your own wallet signs',
    needs: trade,
    idempotent: true,
    body: BuyBuildBody,
    answer: TradeBuildAnswer,
    fails: buildFails,
  },
  buildSell: {
    ...bare,
    id: 'buildSell',
    method: 'POST',
    path: '/transaction/sell',
    summary: 'Build a sale that your own wallet signs',
    needs: trade,
    idempotent: true,
    body: SellBuildBody,
    answer: TradeBuildAnswer,
    fails: buildFails,
  },
  getTrade: {
    ...bare,
    id: 'getTrade',
    method: 'GET',
    path: '/trade/{tradeId}',
    summary: 'The record of a trade and where it stands',
    needs: trade,
    params: TradePath,
    answer: TradeRecord,
    fails: ['NOT_FOUND'],
  },
  tradeHistory: {
    ...bare,
    id: 'tradeHistory',
    method: 'GET',
    path: '/trade/history/{publicKey}',
    summary: 'What a wallet has traded, newest first',
    needs: trade,
    params: TradeHistoryPath,
    query: TradeHistoryQuery,
    answer: TradeHistoryAnswer,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
