import { bare } from '@florin/wire/endpoint.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { Refusal } from '@florin/wire/errors.ts'
import Type from 'typebox'
import type { Route } from './http/route.ts'
import type { MetricsText } from './metrics/metrics.ts'

/**
 * GET /metrics at the public door, for an operator's session, and in a sandbox for keys of the scope admin: it tells of every account, and a
 * key is one account's. Not a row of the contract's table: its answer is Prometheus' text and not JSON.
 */
const row = {
  ...bare,
  id: 'metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'What the service measures, in the text format of Prometheus',
  needs: { scope: 'admin', plan: 'standard' },
  // Scrapers add parameters of their own.
  query: Type.Object({}),
  answer: Type.Object({}),
} as const satisfies Endpoint

export function metricsRoute({
  read,
  isSandbox,
}: {
  readonly read: () => Promise<MetricsText>
  readonly isSandbox: boolean
}): Route {
  return {
    endpoint: row,
    open:
      () =>
      async ({ person }) => {
        if (person === undefined ? !isSandbox : !person.isOperator) {
          throw new Refusal('FORBIDDEN', { details: { session: 'needs an operator' } })
        }
        const { contentType, text } = await read()
        return { status: 200, headers: { 'content-type': contentType }, text }
      },
  }
}
