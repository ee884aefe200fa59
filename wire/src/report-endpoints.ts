import { bare } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { Overview, OverviewQuery, Usage } from './overview.ts'

const read = { scope: 'read', plan: 'standard' } as const

/** The rows that sum an account up: a part of the endpoint table. */
export const reportEndpoints = {
  getOverview: {
    ...bare,
    id: 'getOverview',
    method: 'GET',
    path: '/overview',
    summary: 'How the payments of the account do, and what needs a look',
    needs: read,
    query: OverviewQuery,
    answer: Overview,
  },
  getUsage: {
    ...bare,
    id: 'getUsage',
    method: 'GET',
    path: '/usage',
    summary: 'The plan of the account, its limits and what was used of them',
    needs: read,
    answer: Usage,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
