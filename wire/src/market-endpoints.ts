import { bare } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import {
  CandlesAnswer,
  CandlesQuery,
  NetworkQuery,
  Portfolio,
  PortfolioPath,
  TokenInfo,
  TokenList,
  TokenListQuery,
  TokenPath,
} from './token.ts'

const read = { scope: 'read', plan: 'standard' } as const

/** What markets show, and what addresses hold: a part of the endpoint table. */
export const marketEndpoints = {
  listTokens: {
    ...bare,
    id: 'listTokens',
    method: 'GET',
    path: '/tokens',
    summary: 'The tokens that the networks’ markets trade',
    needs: read,
    query: TokenListQuery,
    answer: TokenList,
    fails: ['UNSUPPORTED_NETWORK'],
  },
  tokenInfo: {
    ...bare,
    id: 'tokenInfo',
    method: 'GET',
    path: '/token/info/{mint}',
    summary: 'What is known of a token',
    needs: read,
    params: TokenPath,
    query: NetworkQuery,
    answer: TokenInfo,
    fails: ['INVALID_MINT', 'UNSUPPORTED_NETWORK', 'NETWORK_ERROR'],
  },
  tokenCandles: {
    ...bare,
    id: 'tokenCandles',
    method: 'GET',
    path: '/token/candles/{mint}',
    summary: 'What the price of a token did',
    needs: read,
    params: TokenPath,
    query: CandlesQuery,
    answer: CandlesAnswer,
    fails: ['INVALID_MINT', 'UNSUPPORTED_NETWORK', 'NETWORK_ERROR'],
  },
  portfolio: {
    ...bare,
    id: 'portfolio',
    method: 'GET',
    path: '/portfolio/{publicKey}',
    summary: 'What an address holds and what it is worth',
    needs: read,
    params: PortfolioPath,
    query: NetworkQuery,
    answer: Portfolio,
    fails: ['UNSUPPORTED_NETWORK', 'NETWORK_ERROR'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
