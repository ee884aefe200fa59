import { bare } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import {
  X402Body,
  X402SettleAnswer,
  X402SupportedAnswer,
  X402VerifyAnswer,
} from './x402/answers.ts'
import {
  CatalogueAnswer,
  DiscoveryAnswer,
  DiscoveryQuery,
  DiscoverySearch,
  DiscoverySearchAnswer,
  ListingDeleted,
  ListingQuery,
} from './x402/discovery.ts'
import { SponsoringAnswer } from './x402/sponsoring.ts'

const read = { scope: 'read', plan: 'standard' } as const
const write = { scope: 'write', plan: 'standard' } as const
const settle = { scope: 'settle', plan: 'standard' } as const

/** The facilitator: a part of the endpoint table. */
export const x402Endpoints = {
  x402Verify: {
    ...bare,
    id: 'x402Verify',
    method: 'POST',
    path: '/x402/verify',
    summary: 'Whether an x402 payment would settle now',
    needs: settle,
    body: X402Body,
    answer: X402VerifyAnswer,
    foreignShape: true,
    fails: ['NETWORK_ERROR'],
  },
  x402Settle: {
    ...bare,
    id: 'x402Settle',
    method: 'POST',
    path: '/x402/settle',
    summary: 'Settle an x402 payment on chain',
    needs: settle,
    idempotent: true,
    body: X402Body,
    longBody: true,
    answer: X402SettleAnswer,
    foreignShape: true,
    fails: ['IDEMPOTENCY_MISMATCH', 'NETWORK_ERROR'],
  },
  x402Supported: {
    ...bare,
    id: 'x402Supported',
    method: 'GET',
    path: '/x402/supported',
    summary: 'The kinds of x402 payment that can be settled here',
    needs: settle,
    answer: X402SupportedAnswer,
    foreignShape: true,
  },
  x402Resources: {
    ...bare,
    id: 'x402Resources',
    method: 'GET',
    path: '/x402/discovery/resources',
    summary: 'What can be bought by x402: the catalogue, page by page',
    needs: read,
    query: DiscoveryQuery,
    answer: DiscoveryAnswer,
    foreignShape: true,
  },
  x402Search: {
    ...bare,
    id: 'x402Search',
    method: 'GET',
    path: '/x402/discovery/search',
    summary: 'Look in the catalogue for what can be bought',
    needs: read,
    query: DiscoverySearch,
    answer: DiscoverySearchAnswer,
    foreignShape: true,
  },
  getCatalogue: {
    ...bare,
    id: 'getCatalogue',
    method: 'GET',
    path: '/x402/catalogue',
    summary: 'What the catalogue has of this account',
    needs: read,
    answer: CatalogueAnswer,
  },
  deleteListing: {
    ...bare,
    id: 'deleteListing',
    method: 'DELETE',
    path: '/x402/catalogue',
    summary: 'Take a resource out of the catalogue',
    needs: write,
    query: ListingQuery,
    answer: ListingDeleted,
    fails: ['NOT_FOUND'],
  },
  getSponsoring: {
    ...bare,
    id: 'getSponsoring',
    method: 'GET',
    path: '/x402/sponsoring',
    summary: 'What settling took of the budget of today, and who pays for it',
    needs: read,
    answer: SponsoringAnswer,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
